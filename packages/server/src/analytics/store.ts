import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { BUCKET_COLUMNS, EXECUTION_COUNTERS, type Schema } from '../database/schema.ts'
import { SPAN_BUCKETS } from '../usage/rollup-rules.ts'
import type { Range, Stretch } from './range-rules.ts'
import type { Sums } from './summary-rules.ts'

export interface RollupFilter {
  range: Range
  /** The same range in the fewest counters, for what is not shown over time. */
  stretches: readonly Stretch[]
  projectId: string | undefined
  runtimeId: string | undefined
}

type Counter = (typeof EXECUTION_COUNTERS)[number] | (typeof BUCKET_COLUMNS)[number]

/**
 * Sums of executions by time and by runtime, and of calls by capability. One time, runtime or capability may come in
 * several parts.
 */
export interface SummedPart {
  kind: 'series' | 'runtime' | 'capability'
  /** Start of the hour or day; 0 but for `series`. */
  at: number
  /** The runtime's id or the capability's name; empty for `series`. */
  name: string
  sums: Sums
}

/** Everything that a summary is made of. One statement, so that all of it is of one moment on either engine. */
export async function sumRollups(db: Kysely<Schema>, ownerId: string, filter: RollupFilter): Promise<SummedPart[]> {
  const { range, stretches } = filter
  const inSeries = isIn(ownerId, { ...range, grain: range.bucket }, filter)
  const series = sumSeries(db).where(inSeries).unionAll(sumFailedCalls(db, 'series').where(inSeries))
  const others = stretches.flatMap((stretch) => [
    sumRuntimes(db).where(isIn(ownerId, stretch, filter)),
    sumFailedCalls(db, 'runtime').where(isIn(ownerId, stretch, filter)),
    sumCapabilities(db).where(isIn(ownerId, stretch, filter)),
  ])
  const rows = await others.reduce((all, each) => all.unionAll(each), series).execute()
  return rows.map(({ kind, at, name, ...counts }) => ({ kind, at, name, sums: toSums(counts) }))
}

function toSums(counts: Record<Counter | 'span' | 'failed_calls', number>): Sums {
  return {
    executions: counts.executions,
    completed: counts.completed,
    failed: counts.failed,
    capabilityCalls: counts.capability_calls,
    failedCalls: counts.failed_calls,
    inputTokens: counts.input_tokens,
    outputTokens: counts.output_tokens,
    durationMs: counts.duration_ms,
    durations: new Map(
      BUCKET_COLUMNS.flatMap((column, index): [number, number][] =>
        counts[column] === 0 ? [] : [[counts.span * SPAN_BUCKETS + index, counts[column]]],
      ),
    ),
  }
}

function sumSeries(db: Kysely<Schema>) {
  return db
    .selectFrom('execution_rollups')
    .select([sql<SummedPart['kind']>`'series'`.as('kind'), 'at', sql<string>`''`.as('name'), 'span'])
    .select(({ fn }) => COUNTERS.map((counter) => fn.sum<number>(counter).as(counter)))
    .select(ZERO.as('failed_calls'))
    .groupBy(['at', 'span'])
}

function sumRuntimes(db: Kysely<Schema>) {
  return db
    .selectFrom('execution_rollups')
    .select([sql<SummedPart['kind']>`'runtime'`.as('kind'), ZERO.as('at'), 'runtime_id as name', 'span'])
    .select(({ fn }) => COUNTERS.map((counter) => fn.sum<number>(counter).as(counter)))
    .select(ZERO.as('failed_calls'))
    .groupBy(['runtime_id', 'span'])
}

/** Calls that failed stand with the calls alone; they are added to the sums of executions by time or by runtime. */
function sumFailedCalls(db: Kysely<Schema>, kind: 'series' | 'runtime') {
  const isSeries = kind === 'series'
  return db
    .selectFrom('call_rollups')
    .select([
      sql<SummedPart['kind']>`${sql.lit(kind)}`.as('kind'),
      isSeries ? 'at' : ZERO.as('at'),
      isSeries ? sql<string>`''`.as('name') : 'runtime_id as name',
      ZERO.as('span'),
    ])
    .select(COUNTERS.map((counter) => ZERO.as(counter)))
    .select(({ fn }) => fn.sum<number>('failed').as('failed_calls'))
    .where('failed', '>', 0)
    .groupBy(isSeries ? 'at' : 'runtime_id')
}

function sumCapabilities(db: Kysely<Schema>) {
  return db
    .selectFrom('call_rollups')
    .select([sql<SummedPart['kind']>`'capability'`.as('kind'), ZERO.as('at'), 'capability as name', 'span'])
    .select(({ fn }) =>
      COUNTERS.map((counter) => {
        if (counter === 'executions') return fn.sum<number>('calls').as(counter)
        return isCounted(counter) ? fn.sum<number>(counter).as(counter) : ZERO.as(counter)
      }),
    )
    .select(ZERO.as('failed_calls'))
    .groupBy(['capability', 'span'])
}

const COUNTERS = [...EXECUTION_COUNTERS, ...BUCKET_COLUMNS]
const ZERO = sql<number>`0`
const BUCKETS: ReadonlySet<string> = new Set(BUCKET_COLUMNS)

/** What is counted of calls as it is of executions. */
function isCounted(counter: Counter): counter is 'failed' | (typeof BUCKET_COLUMNS)[number] {
  return counter === 'failed' || BUCKETS.has(counter)
}

function isIn(
  ownerId: string,
  { grain, from, to }: Stretch,
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
