import { ExecutionStatus, type Feedback } from '@svc/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { PageStart } from '../store/page.ts'
import type { Db } from '../store/schema.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'

export interface ExecutionFilter {
  status?: ExecutionStatus | undefined
  /** Only executions with a call of this status. */
  badCalls?: 'failed' | 'unknown' | undefined
  /** Only those that the end user rated so. */
  feedback?: Feedback | undefined
  runtimeId?: string | undefined
  projectId?: string | undefined
  /** Runtimes that were deleted. */
  except?: readonly string[] | undefined
  /** The earliest start, inclusive. */
  from: number
  /** The latest start, exclusive. */
  to?: number | undefined
  after: PageStart | null
  limit: number
}

/** The columns of a list, under the names of the API. The others may be large. */
const SUMMARY = [
  'execution_id as executionId',
  'runtime_id as runtimeId',
  'kind',
  'surface',
  'status',
  'finish_reason as finishReason',
  'awaits_approval as awaitsApproval',
  'duration_ms as durationMs',
  'call_count as capabilityCalls',
  'failed_calls as failedCalls',
  'unknown_calls as unknownCalls',
  'feedback',
  'total_tokens as totalTokens',
  'started_at as startedAt',
  'completed_at as completedAt',
] as const

const TRACE = [
  ...SUMMARY,
  'project_id as projectId',
  'deployment_version as deploymentVersion',
  'error',
  'message_shape as messageShape',
  'steps',
  'model_steps as modelSteps',
  'input_tokens as inputTokens',
  'output_tokens as outputTokens',
  'metadata',
  'calls',
] as const

const LISTED_CHARACTERS = 300

/** What a list shows of columns that may be large: their beginnings. The first call of a row begins with its name. */
const beginningOf = (column: string) => sql<string | null>`substr(${sql.ref(column)}, 1, ${sql.lit(LISTED_CHARACTERS)})`
const LISTED = [
  'input_tokens as inputTokens',
  'output_tokens as outputTokens',
  beginningOf('error').as('error'),
  beginningOf('calls').as('firstCall'),
] as const

type Condition = RawBuilder<SqlBool>

const MAX_COUNTED = 1_000

/** The unknown calls of a runtime's executions since a time, of the newest thousand that have any. */
export async function countUnknownCalls(
  db: Db,
  { ownerId, runtimeId }: { ownerId: string; runtimeId: string },
  from: number,
): Promise<number> {
  const counted = db
    .selectFrom('executions')
    .select('unknown_calls')
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .where(sql<boolean>`unknown_calls > 0`)
    .where('started_at', '>=', from)
    .orderBy('started_at', 'desc')
    .limit(MAX_COUNTED)
  const { sum } = await db
    .selectFrom(counted.as('counted'))
    .select((eb) => eb.fn.sum<number | null>('unknown_calls').as('sum'))
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}

/**
 * An owner's executions, newest first. Merges one index range for each status and project, so that a page costs the same
 * among thousands and among millions. The small indexes of running executions and of failed and unknown calls have no project.
 */
export async function listExecutions(db: Db, ownerId: string, filter: ExecutionFilter) {
  const { status, limit } = filter
  // The status is hidden from indexes: by it SQLite would choose one without calls.
  const hidden = status === undefined ? sql<SqlBool>`true` : sql<SqlBool>`status || '' = ${status}`
  const byColumns = columnsOf(filter)
  const rare = rareOf(filter)
  if (rare !== null) {
    const some = sql.raw(rare)
    return range(db, ownerId, filter, sql`${byColumns} and ${some} and ${hidden}`).execute()
  }
  const statuses = status === undefined ? ExecutionStatus.options : [status]
  const pairs = statuses.some((one) => one !== 'running') ? await pairsOf(db, ownerId, filter) : []
  const conditions = statuses.flatMap((one): Condition[] =>
    one === 'running'
      ? [sql`${byColumns} and status = 'running'`]
      : // The condition of the partial index, which SQLite does not infer from the status.
        pairs.map((pair) => sql`${pair} and status = ${sql.lit(one)} and status <> 'running'`),
  )
  const [first, ...others] = conditions.map((condition) =>
    db.selectFrom(range(db, ownerId, filter, condition).as('newest')).selectAll(),
  )
  if (!first) return []
  return others
    .reduce((all, newest) => all.unionAll(newest), first)
    .orderBy('startedAt', 'desc')
    .orderBy('executionId', 'desc')
    .limit(limit)
    .execute()
}

// Each has a small index of its own. Given both, that of the calls serves.
function rareOf({ badCalls, feedback }: Pick<ExecutionFilter, 'badCalls' | 'feedback'>): string | null {
  const conditions = [
    ...(badCalls === undefined ? [] : [`${badCalls}_calls > 0`]),
    ...(feedback === undefined ? [] : [`feedback is not null and feedback = ${feedback}`]),
  ]
  return conditions.length > 0 ? conditions.join(' and ') : null
}

/** Runtime and project as one value: of two conditions SQLite would use an index for one alone. */
export const RUNTIME_PROJECT = sql<string>`runtime_id || ' ' || project_id`

/** Conditions on runtime and project for ended executions: of a runtime one for each project in which it ran. */
async function pairsOf(db: Db, ownerId: string, filter: ExecutionFilter): Promise<Condition[]> {
  const { runtimeId, projectId } = filter
  if (runtimeId === undefined) return [columnsOf(filter)]
  const names = projectId === undefined ? await pairsOfRuntime(db, ownerId, runtimeId) : [`${runtimeId} ${projectId}`]
  // SQLite merges 500 ranges at most. An owner has fewer projects.
  if (names.length > 200) return [columnsOf(filter)]
  return names.map((name) => sql<SqlBool>`${RUNTIME_PROJECT} = ${name}`)
}

/** A runtime with each of its projects, found one after the other by the index. */
async function pairsOfRuntime(db: Db, ownerId: string, runtimeId: string): Promise<string[]> {
  const nextAfter = (pair: RawBuilder<unknown>) =>
    sql<string | null>`(
    select min(${RUNTIME_PROJECT}) from executions
    where owner_id = ${ownerId} and status <> 'running' and ${RUNTIME_PROJECT} > ${pair} and ${RUNTIME_PROJECT} < ${`${runtimeId}!`}
  )`.as('pair')
  // A running execution may have ended when the ranges are read, as the first one of its project.
  const running = db
    .selectFrom('executions')
    .select(RUNTIME_PROJECT.as('pair'))
    .where('owner_id', '=', ownerId)
    .where('status', '=', sql.lit('running' as const))
    .where('runtime_id', '=', runtimeId)
  const rows = await db
    .withRecursive('pairs', (pairs) =>
      pairs
        .selectNoFrom(nextAfter(sql`${`${runtimeId} `}`))
        .unionAll((all) => all.selectFrom('pairs').select(nextAfter(sql`pairs.pair`)).where('pair', 'is not', null)),
    )
    .selectFrom('pairs')
    .select('pair')
    .union(running)
    .execute()
  return rows.flatMap(({ pair }) => pair ?? [])
}

function columnsOf({ runtimeId, projectId }: Pick<ExecutionFilter, 'runtimeId' | 'projectId'>): Condition {
  const ofRuntime = runtimeId === undefined ? sql<SqlBool>`true` : sql<SqlBool>`runtime_id = ${runtimeId}`
  return projectId === undefined ? ofRuntime : sql<SqlBool>`${ofRuntime} and project_id = ${projectId}`
}

function range(db: Db, ownerId: string, filter: ExecutionFilter, condition: Condition) {
  const { from, to, after, limit, except = [] } = filter
  const query = db
    .selectFrom('executions')
    .select([...SUMMARY, ...LISTED])
    .where('owner_id', '=', ownerId)
    .where(condition)
    .where('started_at', '>=', from)
    .$if(except.length > 0, (some) => some.where('runtime_id', 'not in', except))
    .orderBy('started_at', 'desc')
    .orderBy('execution_id', 'desc')
    .limit(limit)
  // Only the tighter upper bound: given both, SQLite may use the other one for the index.
  if (after && (to === undefined || after.at < to)) {
    return query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('started_at', 'execution_id'), '<', tuple(after.at, after.id)),
    )
  }
  return to === undefined ? query : query.where('started_at', '<', to)
}

/** The stored bytes of an execution, computed without reading its payloads; 0 where there is none. */
export async function readTraceBytes(db: Db, ownerId: string, executionId: string): Promise<number> {
  const row = await db
    .selectFrom('executions')
    .select(sql<number>`${sql.raw(SQL_BYTES.executions)}`.as('bytes'))
    .where((eb) => eb.and({ owner_id: ownerId, execution_id: executionId }))
    .executeTakeFirst()
  return row?.bytes ?? 0
}

export function findExecution(db: Db, ownerId: string, executionId: string, from: number) {
  return db
    .selectFrom('executions')
    .select(TRACE)
    .where((eb) => eb.and({ owner_id: ownerId, execution_id: executionId }))
    .where('started_at', '>=', from)
    .executeTakeFirst()
}
