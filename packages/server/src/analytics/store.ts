import { type RawBuilder, sql } from 'kysely'
import { BUCKET_COLUMNS, type Db } from '../store/schema.ts'
import { SPAN_BUCKETS } from '../usage/rollup-rules.ts'
import type { Interval, Range } from './range-rules.ts'
import { COUNTERS, type SummedPart } from './summary-rules.ts'

type Counter = (typeof COUNTERS)[number]
type Row = Record<Counter | (typeof BUCKET_COLUMNS)[number] | 'span', number> & Pick<SummedPart, 'kind' | 'name'>

interface RollupFilter {
  range: Range
  /** The same range in the fewest counters, for what is not shown over time. */
  intervals: readonly Interval[]
  projectId: string | undefined
  runtimeId: string | undefined
  /** Runtimes that were deleted. */
  except: readonly string[]
}

/** The sums that a summary is made of: one statement, so that all of them are of one moment on either engine. */
export async function sumRollups(db: Db, ownerId: string, filter: RollupFilter): Promise<SummedPart[]> {
  const { range, intervals } = filter
  const inSeries = isIn(ownerId, { ...range, grain: range.bucket }, filter)
  const series = [sum('series', EXECUTIONS, 'at', inSeries), sum('series', BAD_CALLS, 'at', inSeries)]
  const others = intervals.flatMap((interval) => {
    const inInterval = isIn(ownerId, interval, filter)
    return [
      sum('runtime', EXECUTIONS, 'runtime_id', inInterval),
      sum('runtime', BAD_CALLS, 'runtime_id', inInterval),
      sum('capability', CALLS, 'capability', inInterval),
    ]
  })
  const { rows } = await sql
    .join([...series, ...others], sql` union all `)
    .$castTo<Row>()
    .execute(db)
  return rows.map(({ kind, name, span, ...counts }) => {
    const buckets = BUCKET_COLUMNS.map((column, index) => [span * SPAN_BUCKETS + index, counts[column]] as const)
    return { kind, name, sums: { ...counts, durations: new Map(buckets.filter(([, count]) => count > 0)) } }
  })
}

/** How many executions that began in the range were rated 1 and -1, by the small index of those that were rated at all. */
export async function countFeedback(db: Db, ownerId: string, { range, projectId, runtimeId, except }: RollupFilter) {
  const { up, down } = await db
    .selectFrom('executions')
    .select(({ fn }) => [
      fn.sum<number | null>(sql`case when feedback > 0 then 1 else 0 end`).as('up'),
      fn.sum<number | null>(sql`case when feedback < 0 then 1 else 0 end`).as('down'),
    ])
    .where('owner_id', '=', ownerId)
    .where('feedback', 'is not', null)
    .where('started_at', '>=', range.from)
    .where('started_at', '<', range.to)
    .$if(projectId !== undefined, (some) => some.where('project_id', '=', projectId ?? ''))
    .$if(runtimeId !== undefined, (some) => some.where('runtime_id', '=', runtimeId ?? ''))
    .$if(except.length > 0, (some) => some.where('runtime_id', 'not in', except))
    .executeTakeFirstOrThrow()
  return { thumbsUp: Number(up ?? 0), thumbsDown: Number(down ?? 0) }
}

/** Which rows are summed into which counters; the others are 0. */
interface Source {
  rows: string
  /** Whether the rows have durations. */
  hasSpans: boolean
  columns: Partial<Record<Counter, string>>
}

const EXECUTIONS: Source = {
  rows: 'execution_rollups where true',
  hasSpans: true,
  columns: {
    executions: 'executions',
    completed: 'completed',
    failed: 'failed',
    capabilityCalls: 'capability_calls',
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    durationMs: 'duration_ms',
  },
}

/** Failed and unknown calls are counted with the calls alone; they are added to the sums of executions. */
const BAD_CALLS: Source = {
  rows: 'call_rollups where (failed > 0 or unknown > 0)',
  hasSpans: false,
  columns: { failedCalls: 'failed', unknownCalls: 'unknown' },
}

const CALLS: Source = {
  rows: 'call_rollups where true',
  hasSpans: true,
  columns: { executions: 'calls', failed: 'failed', unknownCalls: 'unknown' },
}

function sum(
  kind: SummedPart['kind'],
  { rows, hasSpans, columns }: Source,
  name: string,
  condition: RawBuilder<unknown>,
) {
  const sums = [
    ...COUNTERS.map((counter) => [counter, columns[counter]] as const),
    ...BUCKET_COLUMNS.map((column) => [column, hasSpans ? column : undefined] as const),
  ].map(([as, column]) => `${column === undefined ? '0' : `sum(${column})`} as "${as}"`)
  const named = `'${kind}' as kind, cast(${name} as text) as name, ${hasSpans ? 'span' : '0 as span'}`
  const groups = hasSpans ? `${name}, span` : name
  return sql`select ${sql.raw(`${named}, ${sums.join(', ')} from ${rows}`)} and ${condition} group by ${sql.raw(groups)}`
}

function isIn(ownerId: string, { grain, from, to }: Interval, { projectId, runtimeId, except }: RollupFilter) {
  const conditions = [
    sql`owner_id = ${ownerId} and grain = ${grain} and at >= ${from} and at < ${to}`,
    ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
    ...(runtimeId === undefined ? [] : [sql`runtime_id = ${runtimeId}`]),
    ...(except.length === 0 ? [] : [sql`runtime_id not in (${sql.join(except)})`]),
  ]
  return sql.join(conditions, sql` and `)
}
