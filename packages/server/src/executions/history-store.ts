import type { ExecutionStatus } from '@svc/contract'
import type { Kysely, Selectable } from 'kysely'
import type { PageStart } from '../database/page.ts'
import type { CapabilityCallsTable, ExecutionsTable, Schema } from '../database/schema.ts'

export type ExecutionRow = Selectable<ExecutionsTable>
export type CallRow = Selectable<CapabilityCallsTable>

export interface ExecutionFilter {
  status: ExecutionStatus | undefined
  /** Inclusive, on the start. */
  from: number | undefined
  /** Exclusive, on the start. */
  to: number | undefined
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

/** Executions of this owner, newest first: one range of one index, whatever the filter. */
export async function listExecutions(
  db: Kysely<Schema>,
  ownerId: string,
  filter: ExecutionFilter,
): Promise<SummaryRow[]> {
  let query = db
    .selectFrom('executions')
    .select(SUMMARY)
    .where('owner_id', '=', ownerId)
    .orderBy('started_at', 'desc')
    .orderBy('execution_id', 'desc')
    .limit(filter.limit)
  if (filter.status) query = query.where('status', '=', filter.status)
  if (filter.from !== undefined) query = query.where('started_at', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('started_at', '<', filter.to)
  const { after } = filter
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('started_at', 'execution_id'), '<', tuple(after.at, after.id)),
    )
  }
  return query.execute()
}

/** One execution of this owner with its calls in order, or null. */
export async function findExecution(
  db: Kysely<Schema>,
  ownerId: string,
  executionId: string,
): Promise<{ execution: ExecutionRow; calls: CallRow[] } | null> {
  const execution = await db
    .selectFrom('executions')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('execution_id', '=', executionId)
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
