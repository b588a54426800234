import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { NO_INPUT } from './rules.ts'

export type NewApproval = Insertable<Schema['approvals']>

/** An approval as it is decided: without the payload of its call. */
export type ApprovalRow = Omit<Selectable<Schema['approvals']>, 'input' | 'metadata' | 'share'>

export const APPROVAL_BYTES = sql<number>`${sql.raw(SQL_BYTES.approvals)}`

/** Of an approval that has ended: nobody needs the input any more. */
export const WITHOUT_PAYLOAD = { input: NO_INPUT, metadata: null } as const
// A literal, so that the partial index is used.
const PENDING = sql.lit('pending' as const)

/** Stores a pending approval; false where the account has `maxPending` already, whatever the number of replicas. */
export function insertApproval(
  db: Db,
  approval: NewApproval,
  { maxPending, bytes }: { maxPending: number; bytes: number },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, approval.owner_id)
    const { count } = await tx
      .selectFrom('approvals')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '=', approval.owner_id)
      .where('status', '=', 'pending')
      .where('expires_at', '>', approval.created_at)
      .executeTakeFirstOrThrow()
    if (Number(count) >= maxPending) return false
    await tx.insertInto('approvals').values(approval).execute()
    await addStoredBytes(tx, [{ ownerId: approval.owner_id, bytes }])
    return true
  })
}

const COLUMNS = [
  ...(['approval_id', 'owner_id', 'runtime_id', 'execution_id', 'call_id'] as const),
  ...(['capability', 'effect', 'step', 'ordinal'] as const),
  ...(['deployment_version', 'endpoint', 'status', 'input_hash', 'preview', 'preview_hash', 'token_hash'] as const),
  ...(['proof', 'result', 'node_id', 'created_at', 'expires_at', 'decided_at'] as const),
] as const

const ofExecutions = (status: 'failed' | 'completed') =>
  sql<boolean>`exists (select 1 from executions where executions.owner_id = approvals.owner_id
    and executions.execution_id = approvals.execution_id and executions.status = ${sql.lit(status)})`

/** Whether its execution failed: a caller is told of approvals only once the execution is stored as completed. */
export const OF_FAILED = ofExecutions('failed')

/** Finds an approval. A pending one of a failed execution is given as `expired`, as which the next sweep stores it. */
export async function findApproval(db: Db, approvalId: string): Promise<ApprovalRow | null> {
  const row = await db
    .selectFrom('approvals')
    .select(COLUMNS)
    .select(OF_FAILED.as('isOfFailed'))
    .where('approval_id', '=', approvalId)
    .executeTakeFirst()
  if (!row) return null
  const { isOfFailed, ...approval } = row
  return approval.status === 'pending' && isOfFailed ? { ...approval, status: 'expired' } : approval
}

/** The payload of a pending call, as JSON texts. */
export function readPayload(db: Db, approvalId: string) {
  return db
    .selectFrom('approvals')
    .select(['input', 'metadata'])
    .where('approval_id', '=', approvalId)
    .where('status', '=', PENDING)
    .executeTakeFirst()
}

interface Decision {
  approvalId: string
  runtimeId: string
  /** The revision of the runtime on which the caller was identified. */
  revision: number
  now: number
}

/** `stale`: the runtime has changed since the caller was identified. `gone`: it cannot be approved now, or any more. */
export type Decided = 'decided' | 'stale' | 'gone'

/** Consumes a pending approval of an execution that completed, for one dispatch by a node that holds its lease. */
export function approve(db: Db, { nodeId, ...decision }: Decision & { nodeId: string }): Promise<Decided> {
  return decide(db, decision, async (tx) => {
    const consumed = await tx
      .updateTable('approvals')
      .set({ status: 'approved', decided_at: decision.now, node_id: nodeId })
      .where('approval_id', '=', decision.approvalId)
      .where('status', '=', PENDING)
      .where('expires_at', '>', decision.now)
      .where((eb) => eb.exists(eb.selectFrom('nodes').select('node_id').where('node_id', '=', nodeId)))
      .where(ofExecutions('completed'))
      .executeTakeFirst()
    return consumed.numUpdatedRows > 0n
  })
}

/** Ends a pending approval without a dispatch. `result` is JSON text. */
export function refuse(
  db: Db,
  { status, result, ...decision }: Decision & { status: 'declined' | 'expired'; result: string | null },
): Promise<Decided> {
  return decide(db, decision, async (tx) => {
    const pending = await lockBytes(tx, decision.approvalId, 'pending')
    if (!pending || pending.expires_at <= decision.now) return false
    const ended = await tx
      .updateTable('approvals')
      .set({ ...WITHOUT_PAYLOAD, status, result, decided_at: decision.now })
      .where('approval_id', '=', decision.approvalId)
      .where('status', '=', PENDING)
      .returning(['owner_id as ownerId', APPROVAL_BYTES.as('bytes')])
      .executeTakeFirst()
    if (!ended) return false
    await addStoredBytes(tx, [{ ownerId: ended.ownerId, bytes: ended.bytes - pending.bytes }])
    return true
  })
}

function decide(db: Db, { runtimeId, revision }: Decision, change: (tx: Tx) => Promise<boolean>): Promise<Decided> {
  return inTransaction(db, async (tx) => {
    const runtime = await tx
      .selectFrom('runtimes')
      .select('revision')
      .where('runtime_id', '=', runtimeId)
      .executeTakeFirst()
    if (runtime?.revision !== revision) return 'stale'
    return (await change(tx)) ? 'decided' : 'gone'
  })
}

/** Locks an approval of this status without a result, and gives its bytes. */
export function lockBytes(tx: Tx, approvalId: string, status: 'pending' | 'approved') {
  return tx
    .selectFrom('approvals')
    .select(['owner_id', 'expires_at', 'share', APPROVAL_BYTES.as('bytes')])
    .where('approval_id', '=', approvalId)
    .where('status', '=', sql.lit(status))
    .where('result', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}
