import type { CallStatus } from '@svc/contract'
import { sql } from 'kysely'
import { reconcileAt } from '../executions/column-rules.js'
import type { Db } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { APPROVAL_BYTES, lockBytes, OF_FAILED, WITHOUT_PAYLOAD } from './store.ts'

/** How an approved call ended. */
export interface ApprovedCallEnd {
  approvalId: string
  executionId: string
  callId: string
  capability: string
  /** The `tool_result` part, JSON text. */
  result: string
  /** The call for the trace of its execution, as text. */
  call: string
  status: Exclude<CallStatus, 'dispatched'>
  /** Null where no answer came. */
  durationMs: number | null
  /** When the endpoint is first asked what became of the call; null where its outcome is known. */
  reconcileDueAt: number | null
}

/** Records how an approved call ended, in approval, execution and usage. False where that was done before. */
export function recordApprovedCall(db: Db, ended: ApprovedCallEnd): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const before = await lockBytes(tx, ended.approvalId, 'approved')
    if (!before) return false
    const after = await tx
      .updateTable('approvals')
      .set({ ...WITHOUT_PAYLOAD, result: ended.result })
      .where('approval_id', '=', ended.approvalId)
      .returning(APPROVAL_BYTES.as('bytes'))
      .executeTakeFirstOrThrow()
    await addCall(tx, { ownerId: before.owner_id, share: before.share }, ended, after.bytes - before.bytes)
    return true
  })
}

/** Adds the call to its execution, whose usage is counted already, and its bytes to those of the account. */
async function addCall(
  tx: Tx,
  { ownerId, share }: { ownerId: string; share: number | null },
  ended: ApprovedCallEnd,
  addedBytes: number,
): Promise<void> {
  const { executionId, callId, call, capability, status, durationMs, reconcileDueAt } = ended
  const execution = await tx
    .selectFrom('executions')
    .select(['owner_id as ownerId', 'runtime_id as runtimeId', 'project_id as projectId', 'started_at as startedAt'])
    .select(['deployment_version as deploymentVersion', sql<number>`coalesce(octet_length(calls), 0)`.as('callBytes')])
    .select(sql<number>`failed_calls + unknown_calls`.as('badCalls'))
    .where((eb) => eb.and({ owner_id: ownerId, execution_id: executionId }))
    .forUpdate()
    .executeTakeFirst()
  if (!execution) return addStoredBytes(tx, [{ ownerId, bytes: addedBytes }])
  await tx
    .updateTable('executions')
    .set((eb) => ({
      calls: sql<string>`coalesce(calls || ',', '') || ${call}`,
      call_count: eb('call_count', '+', 1),
      failed_calls: eb('failed_calls', '+', status === 'failed' ? 1 : 0),
      unknown_calls: eb('unknown_calls', '+', status === 'unknown' ? 1 : 0),
      ...(reconcileDueAt !== null && { reconcile_at: sql<number>`${sql.raw(reconcileAt(earlierOf(reconcileDueAt)))}` }),
    }))
    .where((eb) => eb.and({ owner_id: ownerId, execution_id: executionId }))
    .execute()
  const { callBytes, badCalls, ...place } = execution
  const isUnknown = status === 'unknown'
  // Only calls of completed executions are approved: the first bad call makes this one bad.
  const makesBad = status !== 'completed' && badCalls === 0
  const usage = {
    ...place,
    isLaterCall: true,
    storedBytes: addedBytes + Buffer.byteLength(call) + (callBytes === 0 ? 0 : 1),
    ...{ isCompleted: true, isAnonymous: false, inputTokens: 0, outputTokens: 0, durationMs: 0 },
    calls: [{ capability, isCompleted: status === 'completed', isUnknown, durationMs, ...(isUnknown && { callId }) }],
    ...(isUnknown && { executionId }),
    ...(makesBad && share !== null && { share }),
  }
  const usages = JSON.stringify([usage])
  await tx.insertInto('usage_journal').values({ usages }).execute()
}

// The execution may have other unknown calls.
function earlierOf(reconcileDueAt: number): string {
  return `case when executions.reconcile_at < ${reconcileDueAt} then executions.reconcile_at else ${reconcileDueAt} end`
}

function isExpiring(which: Expiring) {
  if (which === 'of failed executions') return OF_FAILED
  return 'ids' in which
    ? sql<boolean>`approval_id in (${sql.join(which.ids)})`
    : sql<boolean>`expires_at <= ${which.by}`
}

interface Abandoned {
  approvalId?: string
  overdueBefore: number
  maxRows: number
}

/** Approved calls that no node dispatches any more: their node is dead, or they were approved before `overdueBefore`. */
export function listAbandoned(db: Db, { approvalId, overdueBefore, maxRows }: Abandoned) {
  const abandoned = db
    .selectFrom('approvals')
    .select(['approval_id', 'execution_id', 'call_id', 'capability', 'effect', 'token_hash'])
    .select(['endpoint', 'step', 'ordinal', 'input', 'decided_at'])
    .where('status', '=', sql.lit('approved' as const))
    .where('result', 'is', null)
    .where((eb) =>
      eb.or([
        eb('approvals.node_id', 'not in', eb.selectFrom('nodes').select('nodes.node_id')),
        eb('decided_at', '<', overdueBefore),
      ]),
    )
    .orderBy('approval_id')
    .limit(maxRows)
  return (approvalId === undefined ? abandoned : abandoned.where('approval_id', '=', approvalId)).execute()
}

/** Pending approvals whose time is up, of these ids, or of failed executions: of these nobody was told. */
export type Expiring = { by: number } | { ids: readonly string[] } | 'of failed executions'

/** Ends pending approvals and returns how many. Accounts are locked in the order of their ids, so that replicas never deadlock. */
export function expireSome(db: Db, which: Expiring, limit: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const rows = await tx
      .selectFrom('approvals')
      .select(['approval_id', 'owner_id as ownerId', APPROVAL_BYTES.as('bytes')])
      .where('status', '=', sql.lit('pending' as const))
      .where(isExpiring(which))
      .orderBy('expires_at')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
    if (rows.length === 0) return 0
    const ids = rows.map((row) => row.approval_id)
    const ended = await tx
      .updateTable('approvals')
      .set({ ...WITHOUT_PAYLOAD, status: 'expired' })
      .where('approval_id', 'in', ids)
      .returning(['owner_id as ownerId', APPROVAL_BYTES.as('bytes')])
      .execute()
    const freed = new Map<string, number>()
    for (const { ownerId, bytes } of rows) freed.set(ownerId, (freed.get(ownerId) ?? 0) - bytes)
    for (const { ownerId, bytes } of ended) freed.set(ownerId, (freed.get(ownerId) ?? 0) + bytes)
    const owners = [...freed].sort(([a], [b]) => (a < b ? -1 : 1))
    const changes = owners.map(([ownerId, bytes]) => ({ ownerId, bytes }))
    await addStoredBytes(tx, changes)
    return rows.length
  })
}
