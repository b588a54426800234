import type { ExecutionStatus } from '@svc/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { PageStart } from '../database/page.ts'
import type { CapabilityCallsTable, ExecutionsTable, Schema } from '../database/schema.ts'

export type ExecutionRow = Selectable<ExecutionsTable>
export type CallRow = Selectable<CapabilityCallsTable>

export interface ExecutionFilter {
  status?: ExecutionStatus | undefined
  runtimeId?: string | undefined
  projectId?: string | undefined
  /** Inclusive, on the start. */
  from: number
  /** Exclusive, on the start. */
  to?: number | undefined
  after: PageStart | null
  limit: number
}

const SUMMARY = [
  'execution_id',
  'runtime_id',
  'status',
  'finish_reason',
  'duration_ms',
  'call_count',
  'started_at',
  'completed_at',
] as const

/** What a list shows of an execution; the rest of a row may be large. */
export type SummaryRow = Pick<ExecutionRow, (typeof SUMMARY)[number]>

/**
 * Executions of this owner, newest first. One range of one index for each status that is asked for, whatever the other
 * filters, so a page costs the same among thousands and among millions; without a status the three ranges are merged.
 * The index of what runs, which is never much, knows no other filter.
 */
export async function listExecutions(
  db: Kysely<Schema>,
  ownerId: string,
  filter: ExecutionFilter,
): Promise<SummaryRow[]> {
  const { status, limit } = filter
  if (status) return range(db, ownerId, { ...filter, status }).execute()
  const newest = (one: ExecutionStatus) =>
    db.selectFrom(range(db, ownerId, { ...filter, status: one }).as(one)).selectAll()
  return newest('completed')
    .unionAll(newest('failed'))
    .unionAll(newest('running'))
    .orderBy('started_at', 'desc')
    .orderBy('execution_id', 'desc')
    .limit(limit)
    .execute()
}

function range(db: Kysely<Schema>, ownerId: string, filter: ExecutionFilter & { status: ExecutionStatus }) {
  const { to, after } = filter
  const query = placedIn(db, filter)
    .select(SUMMARY)
    .where('owner_id', '=', ownerId)
    .where('status', '=', sql.lit(filter.status))
    // Tells what the indexes of ended executions hold, which SQLite does not conclude from the status.
    .$if(filter.status !== 'running', (ended) => ended.where('status', '<>', sql.lit('running' as const)))
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

/**
 * Executions of a runtime, of a project, or of both. Both are one value, for which there is an index: asked for by two,
 * SQLite enters by the index of one of them, and then reads all that the other has ever run.
 */
function placedIn(db: Kysely<Schema>, { runtimeId, projectId }: Pick<ExecutionFilter, 'runtimeId' | 'projectId'>) {
  const all = db.selectFrom('executions')
  if (runtimeId !== undefined && projectId !== undefined) {
    return all.where(sql<string>`runtime_id || ' ' || project_id`, '=', `${runtimeId} ${projectId}`)
  }
  if (runtimeId !== undefined) return all.where('runtime_id', '=', runtimeId)
  return projectId === undefined ? all : all.where('project_id', '=', projectId)
}

/** One execution of this owner that started no earlier than `from`, with its calls in order, or null. */
export async function findExecution(
  db: Kysely<Schema>,
  ownerId: string,
  { executionId, from }: { executionId: string; from: number },
): Promise<{ execution: ExecutionRow; calls: CallRow[] } | null> {
  const execution = await db
    .selectFrom('executions')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('execution_id', '=', executionId)
    .where('started_at', '>=', from)
    .executeTakeFirst()
  if (!execution) return null
  const calls = await db
    .selectFrom('capability_calls')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('execution_id', '=', executionId)
    .orderBy('ordinal')
    .execute()
  return { execution, calls }
}
