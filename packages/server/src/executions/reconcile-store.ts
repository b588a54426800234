import { sql } from 'kysely'
import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { isPastBudget } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { callsText, readCalls, type StoredCall, type StoredReconciled } from './call-rules.ts'
import { asSettled, dueCalls, keptAnswer, nextReconcileAt } from './reconcile-rules.ts'

export type DueExecution = Awaited<ReturnType<typeof readDue>>[number]

interface DueFilter {
  now: number
  exceptOwners: readonly string[]
  /** The most executions of one account. */
  ofEach: number
  limit: number
}

/** Executions that are due, the oldest first. */
export function readDue(db: Db, { now, exceptOwners, ofEach, limit }: DueFilter) {
  const due = db
    .selectFrom('executions')
    .select(['owner_id as ownerId', 'execution_id as executionId', 'runtime_id as runtimeId'])
    .select(sql<number>`reconcile_at`.as('dueAt'))
    .select(sql<number>`row_number() over (partition by owner_id order by reconcile_at)`.as('rank'))
    .where('reconcile_at', 'is not', null)
    .where('reconcile_at', '<=', now)
    .$if(exceptOwners.length > 0, (query) => query.where('owner_id', 'not in', exceptOwners))
  return db.selectFrom(due.as('due')).selectAll().where('rank', '<=', ofEach).orderBy('dueAt').limit(limit).execute()
}

/** The calls of one reconcile request, and when the next request is due. */
export interface Claim {
  calls: readonly StoredCall[]
  metadata: string | null
  deploymentVersion: number | null
  claimedAt: number
  nextAt: number | null
}

/** Claims the request that is due, by storing when the next one is. All callers but one, on any number of replicas, get null. */
export function claimReconcile(db: Db, due: DueExecution, now: number): Promise<Claim | null> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom('executions')
      .select(['calls', 'metadata', 'deployment_version'])
      .where((eb) => eb.and({ owner_id: due.ownerId, execution_id: due.executionId, reconcile_at: due.dueAt }))
      .forUpdate()
      .executeTakeFirst()
    if (!row) return null
    const calls = readCalls(row.calls)
    const nextAt = nextReconcileAt(calls, now)
    await executionOf(tx, due).set({ reconcile_at: nextAt }).execute()
    const { metadata, deployment_version: deploymentVersion } = row
    return { calls: dueCalls(calls, due.dueAt, now), metadata, deploymentVersion, claimedAt: now, nextAt }
  })
}

/** Stores the answers of the endpoint, by call id. An answered call has no further request. An earlier answer stays. */
export async function storeReconciled(
  db: Db,
  due: DueExecution,
  { claimedAt, nextAt }: Pick<Claim, 'claimedAt' | 'nextAt'>,
  { told, maxBytes }: { told: ReadonlyMap<string, StoredReconciled>; maxBytes: number },
): Promise<void> {
  const { ownerId, executionId } = due
  await inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom('executions')
      .innerJoin('owners', 'owners.owner_id', 'executions.owner_id')
      .select(['calls', 'reconcile_at', 'tier', 'stored_bytes'])
      .where((eb) => eb.and({ 'executions.owner_id': ownerId, execution_id: executionId }))
      .forUpdate('executions')
      .executeTakeFirst()
    if (!row) return
    const isFull = isPastBudget(row.tier, row.stored_bytes)
    const calls = readCalls(row.calls).map((call) => {
      const answer = told.get(call.callId)
      const isNews = answer !== undefined && call.status === 'unknown' && call.reconciled === undefined
      return isNews ? { ...call, reconciled: keptAnswer(call, answer, { maxBytes, isFull }) } : call
    })
    // Where the next request was made meanwhile, or a call was added, the time after this one is set already.
    const isNext = row.reconcile_at === nextAt
    const text = callsText(calls.map(asSettled))
    await executionOf(tx, due)
      .set({ calls: text, ...(isNext && { reconcile_at: nextReconcileAt(calls, claimedAt) }) })
      .execute()
    const bytes = Buffer.byteLength(text ?? '') - Buffer.byteLength(row.calls ?? '')
    await addStoredBytes(tx, [{ ownerId, bytes }])
  })
}

function executionOf(db: Db, { ownerId, executionId }: Pick<DueExecution, 'ownerId' | 'executionId'>) {
  return db.updateTable('executions').where('owner_id', '=', ownerId).where('execution_id', '=', executionId)
}
