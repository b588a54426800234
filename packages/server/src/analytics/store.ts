import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { BUCKET_COLUMNS, type Db, type Schema } from '../store/schema.ts'
import { SPAN_BUCKETS } from '../usage/rollup-rules.ts'
import type { Interval, Range } from './range-rules.ts'
import type { SummedPart, Sums } from './summary-rules.ts'

export interface RollupFilter {
  range: Range
  /** The same range in the fewest counters, for what is not shown over time. */
  intervals: readonly Interval[]
  projectId: string | undefined
  runtimeId: string | undefined
}

/** The sums that a summary is made of: one statement, so that all of them are of one moment on either engine. */
export async function sumRollups(db: Db, ownerId: string, filter: RollupFilter): Promise<SummedPart[]> {
  const { range, intervals } = filter
  const inSeries = isIn(ownerId, { ...range, grain: range.bucket }, filter)
  const series = sumExecutions(db, 'series').where(inSeries).unionAll(sumBadCalls(db, 'series').where(inSeries))
  const others = intervals.flatMap((interval) => {
    const inInterval = isIn(ownerId, interval, filter)
    return [
      sumExecutions(db, 'runtime').where(inInterval),
      sumBadCalls(db, 'runtime').where(inInterval),
      sumCapabilities(db).where(inInterval),
    ]
  })
  const rows = await others.reduce((all, each) => all.unionAll(each), series).execute()
  return rows.map(({ kind, name, span, ...counts }) => {
    const buckets = BUCKET_COLUMNS.map((column, index) => [span * SPAN_BUCKETS + index, counts[column]] as const)
    return { kind, name, sums: { ...counts, durations: new Map(buckets.filter(([, count]) => count > 0)) } }
  })
}

// In the order of their columns in each part of the union.
const COUNTERS = [
  ['executions', 'executions'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['capabilityCalls', 'capability_calls'],
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['durationMs', 'duration_ms'],
] as const satisfies readonly (readonly [counter: keyof Sums, column: string])[]

const ZERO = sql<number>`0`
const AT = { column: 'at', name: sql<string>`cast(at as text)` } as const
const RUNTIME = { column: 'runtime_id', name: sql<string>`runtime_id` } as const

function sumExecutions(db: Db, kind: 'series' | 'runtime') {
  const { column, name } = kind === 'series' ? AT : RUNTIME
  return db
    .selectFrom('execution_rollups')
    .select([kindOf(kind), name.as('name'), 'span', ZERO.as('failedCalls'), ZERO.as('unknownCalls')])
    .select(({ fn }) => COUNTERS.map(([counter, from]) => fn.sum<number>(from).as(counter)))
    .select(({ fn }) => BUCKET_COLUMNS.map((bucket) => fn.sum<number>(bucket).as(bucket)))
    .groupBy([column, 'span'])
}

/** Failed and unknown calls are counted with the calls alone; they are added to the sums of executions by time or by runtime. */
function sumBadCalls(db: Db, kind: 'series' | 'runtime') {
  const { column, name } = kind === 'series' ? AT : RUNTIME
  return db
    .selectFrom('call_rollups')
    .select(({ fn }) => [
      kindOf(kind),
      name.as('name'),
      ZERO.as('span'),
      fn.sum<number>('failed').as('failedCalls'),
      fn.sum<number>('unknown').as('unknownCalls'),
    ])
    .select(COUNTERS.map(([counter]) => ZERO.as(counter)))
    .select(BUCKET_COLUMNS.map((bucket) => ZERO.as(bucket)))
    .where((eb) => eb.or([eb('failed', '>', 0), eb('unknown', '>', 0)]))
    .groupBy(column)
}

function sumCapabilities(db: Db) {
  const counted = { executions: 'calls', failed: 'failed' } as const
  return db
    .selectFrom('call_rollups')
    .select(({ fn }) => [
      kindOf('capability'),
      'capability as name',
      'span',
      ZERO.as('failedCalls'),
      fn.sum<number>('unknown').as('unknownCalls'),
    ])
    .select(({ fn }) =>
      COUNTERS.map(([counter]) =>
        counter === 'executions' || counter === 'failed'
          ? fn.sum<number>(counted[counter]).as(counter)
          : ZERO.as(counter),
      ),
    )
    .select(({ fn }) => BUCKET_COLUMNS.map((bucket) => fn.sum<number>(bucket).as(bucket)))
    .groupBy(['capability', 'span'])
}

function kindOf(kind: SummedPart['kind']) {
  return sql<SummedPart['kind']>`${sql.lit(kind)}`.as('kind')
}

function isIn(
  ownerId: string,
  { grain, from, to }: Interval,
  { projectId, runtimeId }: RollupFilter,
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'execution_rollups' | 'call_rollups'>()
  return eb.and([
    eb('owner_id', '=', ownerId),
    eb('grain', '=', grain),
    eb('at', '>=', from),
    eb('at', '<', to),
    ...(projectId === undefined ? [] : [eb('project_id', '=', projectId)]),
    ...(runtimeId === undefined ? [] : [eb('runtime_id', '=', runtimeId)]),
  ])
}
