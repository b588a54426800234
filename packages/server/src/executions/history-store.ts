import { ExecutionStatus } from '@svc/contract'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { PageStart } from '../database/page.ts'
import type { Schema } from '../database/schema.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'

export interface ExecutionFilter {
  status?: ExecutionStatus | undefined
  /** Only those with a call that failed. */
  calls?: 'failed' | undefined
  runtimeId?: string | undefined
  projectId?: string | undefined
  /** Inclusive, on the start. */
  from: number
  /** Exclusive, on the start. */
  to?: number | undefined
  after: PageStart | null
  limit: number
}

/** The columns that a list shows of an execution, under the names of the API; the rest of a row may be large. */
const SUMMARY = [
  'execution_id as executionId',
  'runtime_id as runtimeId',
  'kind',
  'status',
  'finish_reason as finishReason',
  'duration_ms as durationMs',
  'call_count as capabilityCalls',
  'failed_calls as failedCalls',
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

/**
 * Executions of this owner, newest first. One range of one index for each status that is asked for, whatever the other
 * filters, so a page costs the same among thousands and among millions; several ranges are merged. The indexes of what
 * runs and of what has calls that failed, which is never much, know no other filter.
 */
export async function listExecutions(db: Kysely<Schema>, ownerId: string, filter: ExecutionFilter) {
  const { status, limit } = filter
  if (filter.calls === 'failed') return range(db, ownerId, ofFailedCalls(filter), filter).execute()
  const statuses = status === undefined ? ExecutionStatus.options : [status]
  const places = statuses.some(hasEnded) ? await placesOf(db, ownerId, filter) : []
  const ranges = statuses.flatMap((one) =>
    (hasEnded(one) ? places : [columnsOf(filter)]).map((place) => ({ one, place })),
  )
  const [first, ...others] = ranges.map(({ one, place }) =>
    db.selectFrom(range(db, ownerId, sql<SqlBool>`${place} and ${ofStatus(one)}`, filter).as('newest')).selectAll(),
  )
  if (!first) return []
  return others
    .reduce((all, newest) => all.unionAll(newest), first)
    .orderBy('startedAt', 'desc')
    .orderBy('executionId', 'desc')
    .limit(limit)
    .execute()
}

function hasEnded(status: ExecutionStatus): boolean {
  return status !== 'running'
}

type Place = RawBuilder<SqlBool>

/** Runtime and project as one value: asked for by two, SQLite enters by an index of one, and reads all of the other. */
const PLACE = sql<string>`runtime_id || ' ' || project_id`

/** Where to look for what has ended: one place, but for a runtime each project in which it ran. */
async function placesOf(db: Kysely<Schema>, ownerId: string, filter: ExecutionFilter): Promise<Place[]> {
  const { runtimeId, projectId } = filter
  if (runtimeId === undefined) return [columnsOf(filter)]
  const names = projectId === undefined ? await placesOfRuntime(db, ownerId, runtimeId) : [`${runtimeId} ${projectId}`]
  // SQLite merges 500 ranges at most. An owner has fewer projects than these; more would be left by an earlier rule.
  if (names.length > 200) return [columnsOf(filter)]
  return names.map((name) => sql<SqlBool>`${PLACE} = ${name}`)
}

/** A runtime with each of its projects, as a rule the one. Goes from one to the next by the index. */
async function placesOfRuntime(db: Kysely<Schema>, ownerId: string, runtimeId: string): Promise<string[]> {
  const nextAfter = (place: RawBuilder<unknown>) =>
    sql<string | null>`(
    select min(${PLACE}) from executions
    where owner_id = ${ownerId} and status <> 'running' and ${PLACE} > ${place} and ${PLACE} < ${`${runtimeId}!`}
  )`.as('place')
  // What runs may have ended by the time that the ranges are read, in a project where nothing has before.
  const running = db
    .selectFrom('executions')
    .select(PLACE.as('place'))
    .where('owner_id', '=', ownerId)
    .where('status', '=', sql.lit('running' as const))
    .where('runtime_id', '=', runtimeId)
  const rows = await db
    .withRecursive('places', (places) =>
      places
        .selectNoFrom(nextAfter(sql`${`${runtimeId} `}`))
        .unionAll((all) =>
          all.selectFrom('places').select(nextAfter(sql`places.place`)).where('place', 'is not', null),
        ),
    )
    .selectFrom('places')
    .select('place')
    .union(running)
    .execute()
  return rows.flatMap(({ place }) => place ?? [])
}

function columnsOf({ runtimeId, projectId }: Pick<ExecutionFilter, 'runtimeId' | 'projectId'>): Place {
  const ofRuntime = runtimeId === undefined ? sql<SqlBool>`true` : sql<SqlBool>`runtime_id = ${runtimeId}`
  return projectId === undefined ? ofRuntime : sql<SqlBool>`${ofRuntime} and project_id = ${projectId}`
}

// Tells what the indexes of ended executions hold, which SQLite does not conclude from the status.
function ofStatus(status: ExecutionStatus): Place {
  const named = sql<SqlBool>`status = ${sql.lit(status)}`
  return hasEnded(status) ? sql<SqlBool>`${named} and status <> 'running'` : named
}

// The status is hidden from indexes: by it SQLite would enter one that knows nothing of calls.
function ofFailedCalls(filter: ExecutionFilter): Place {
  const { status } = filter
  const named = status === undefined ? sql<SqlBool>`true` : sql<SqlBool>`status || '' = ${status}`
  return sql<SqlBool>`${columnsOf(filter)} and failed_calls > 0 and ${named}`
}

function range(db: Kysely<Schema>, ownerId: string, condition: Place, filter: ExecutionFilter) {
  const { to, after } = filter
  const query = db
    .selectFrom('executions')
    .select(SUMMARY)
    .where('owner_id', '=', ownerId)
    .where(condition)
    .where('started_at', '>=', filter.from)
    .orderBy('started_at', 'desc')
    .orderBy('execution_id', 'desc')
    .limit(filter.limit)
  // One upper bound, the tighter one: given both, SQLite would enter the index by either and filter by the other.
  if (after && (to === undefined || after.at < to)) {
    return query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('started_at', 'execution_id'), '<', tuple(after.at, after.id)),
    )
  }
  return to === undefined ? query : query.where('started_at', '<', to)
}

/** Bytes of the payloads of an execution and its calls, found without reading them; 0 where there is none. */
export async function readTraceBytes(db: Kysely<Schema>, ownerId: string, executionId: string): Promise<number> {
  const row = await db
    .selectFrom('executions')
    .select(sql<number>`${sql.raw(SQL_BYTES.executions)}`.as('bytes'))
    .where('owner_id', '=', ownerId)
    .where('execution_id', '=', executionId)
    .executeTakeFirst()
  return row?.bytes ?? 0
}

/** One execution of this owner that started no earlier than `from`, or undefined. */
export function findExecution(
  db: Kysely<Schema>,
  ownerId: string,
  { executionId, from }: { executionId: string; from: number },
) {
  return db
    .selectFrom('executions')
    .select(TRACE)
    .where('owner_id', '=', ownerId)
    .where('execution_id', '=', executionId)
    .where('started_at', '>=', from)
    .executeTakeFirst()
}
