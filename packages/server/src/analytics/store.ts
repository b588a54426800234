import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Db, DURATION_BUCKET_COLUMNS } from '../store/schema.ts'
import { BUCKETS_PER_SPAN } from '../usage/rollup-rules.ts'
import type { Interval, Range } from './range-rules.ts'
import { COUNTERS, type SummedPart } from './summary-rules.ts'

type Counter = (typeof COUNTERS)[number]
type Row = Record<Counter | (typeof DURATION_BUCKET_COLUMNS)[number] | 'span', number> &
  Pick<SummedPart, 'kind' | 'name'>

interface RollupFilter {
  range: Range
  /** The same range in the fewest counters, for what is not shown over time. */
  intervals: readonly Interval[]
  projectId: string | undefined
  runtimeId: string | undefined
  /** Runtimes that were deleted. */
  deletedRuntimes: readonly string[]
}

/** The sums of a summary, in one statement, so that all of them are of one moment on either engine. */
export async function sumRollups(db: Db, ownerId: string, filter: RollupFilter): Promise<SummedPart[]> {
  const { range, intervals } = filter
  const ofSeries = conditionOf(ownerId, { ...range, grain: range.bucket }, filter)
  const series = [sum('series', EXECUTIONS, 'at', ofSeries), sum('series', FAILED_AND_UNKNOWN_CALLS, 'at', ofSeries)]
  const others = intervals.flatMap((interval) => {
    const ofInterval = conditionOf(ownerId, interval, filter)
    return [
      sum('runtime', EXECUTIONS, 'runtime_id', ofInterval),
      sum('runtime', FAILED_AND_UNKNOWN_CALLS, 'runtime_id', ofInterval),
      sum('capability', CALLS, 'capability', ofInterval),
    ]
  })
  const { rows } = await sql
    .join([...series, ...others], sql` union all `)
    .$castTo<Row>()
    .execute(db)
  return rows.map(({ kind, name, span, ...counts }) => {
    const buckets = DURATION_BUCKET_COLUMNS.map(
      (column, index) => [span * BUCKETS_PER_SPAN + index, counts[column]] as const,
    )
    return { kind, name, sums: { ...counts, durations: new Map(buckets.filter(([, count]) => count > 0)) } }
  })
}

/** How many executions that began in the range were rated 1 and -1. The partial index of rated executions serves it. */
export async function countFeedback(db: Db, ownerId: string, filter: RollupFilter) {
  const { range } = filter
  const { up, down } = await db
    .selectFrom('executions')
    .select(({ fn }) => [
      fn.sum<number | null>(sql`case when feedback > 0 then 1 else 0 end`).as('up'),
      fn.sum<number | null>(sql`case when feedback < 0 then 1 else 0 end`).as('down'),
    ])
    .where('feedback', 'is not', null)
    .where('started_at', '>=', range.from)
    .where('started_at', '<', range.to)
    .where(filterOf(ownerId, filter))
    .executeTakeFirstOrThrow()
  return { thumbsUp: Number(up ?? 0), thumbsDown: Number(down ?? 0) }
}

/** The columns of a table of counters that are summed, by counter; a counter without a column is 0. */
interface SummedColumns {
  /** The table with its `where`, to which the range is added. */
  rows: string
  /** Whether durations are summed, too. */
  hasSpans: boolean
  columns: Partial<Record<Counter, string>>
}

const EXECUTIONS: SummedColumns = {
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

/** `execution_rollups` has no column for failed and unknown calls: these are added to the sums of executions. */
const FAILED_AND_UNKNOWN_CALLS: SummedColumns = {
  rows: 'call_rollups where (failed > 0 or unknown > 0)',
  hasSpans: false,
  columns: { failedCalls: 'failed', unknownCalls: 'unknown' },
}

const CALLS: SummedColumns = {
  rows: 'call_rollups where true',
  hasSpans: true,
  columns: { executions: 'calls', failed: 'failed', unknownCalls: 'unknown' },
}

function sum(kind: SummedPart['kind'], summed: SummedColumns, name: string, condition: RawBuilder<unknown>) {
  const { rows, hasSpans, columns } = summed
  const sums = [
    ...COUNTERS.map((counter) => [counter, columns[counter]] as const),
    ...DURATION_BUCKET_COLUMNS.map((column) => [column, hasSpans ? column : undefined] as const),
  ].map(([as, column]) => `${column === undefined ? '0' : `sum(${column})`} as "${as}"`)
  const named = `'${kind}' as kind, cast(${name} as text) as name, ${hasSpans ? 'span' : '0 as span'}`
  const groups = hasSpans ? `${name}, span` : name
  return sql`select ${sql.raw(`${named}, ${sums.join(', ')} from ${rows}`)} and ${condition} group by ${sql.raw(groups)}`
}

function conditionOf(ownerId: string, { grain, from, to }: Interval, filter: RollupFilter) {
  return sql`grain = ${grain} and at >= ${from} and at < ${to} and ${filterOf(ownerId, filter)}`
}

function filterOf(ownerId: string, { projectId, runtimeId, deletedRuntimes }: RollupFilter) {
  const conditions = [
    sql`owner_id = ${ownerId}`,
    ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
    ...(runtimeId === undefined ? [] : [sql`runtime_id = ${runtimeId}`]),
    ...(deletedRuntimes.length === 0 ? [] : [sql`runtime_id not in (${sql.join(deletedRuntimes)})`]),
  ]
  return sql.join<SqlBool>(conditions, sql` and `)
}
