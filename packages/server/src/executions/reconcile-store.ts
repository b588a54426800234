import { type Kysely, sql } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { isPastBudget } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { callsText, readCalls, type StoredReconciled } from './call-rules.ts'
import { asSettled, keptAnswer, nextQuestion } from './reconcile-rules.ts'

/** An execution whose unknown calls are due to be asked about. */
export type DueExecution = Awaited<ReturnType<typeof readDue>>[number]

interface DueFilter {
  now: number
  exceptOwners: readonly string[]
  /** The most executions of one account. */
  ofEach: number
  limit: number
}

/** Executions that are due, the oldest first. */
export function readDue(db: Kysely<Schema>, { now, exceptOwners, ofEach, limit }: DueFilter) {
  const due = db
    .selectFrom('executions')
    .select(['owner_id as ownerId', 'execution_id as executionId', 'runtime_id as runtimeId'])
    .select(['completed_at as completedAt', 'reconcile_at as dueAt'])
    .select(sql<number>`row_number() over (partition by owner_id order by reconcile_at)`.as('place'))
    .where('reconcile_at', 'is not', null)
    .where('reconcile_at', '<=', now)
    .$if(exceptOwners.length > 0, (query) => query.where('owner_id', 'not in', exceptOwners))
  return db.selectFrom(due.as('due')).selectAll().where('place', '<=', ofEach).orderBy('dueAt').limit(limit).execute()
}

/** Sets when the next question is due. True for one caller alone, on any number of replicas: it asks. */
export async function claimQuestion(db: Kysely<Schema>, due: DueExecution, now: number): Promise<boolean> {
  const { numUpdatedRows } = await executionOf(db, due)
    .set({ reconcile_at: nextQuestion(due.completedAt ?? now, now) })
    .where('reconcile_at', '=', due.dueAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The stored unknown calls without an outcome yet, and their metadata. */
export async function readUnknown(db: Kysely<Schema>, { ownerId, executionId }: DueExecution) {
  const row = await db
    .selectFrom('executions')
    .select(['calls', 'metadata'])
    .where('owner_id', '=', ownerId)
    .where('execution_id', '=', executionId)
    .executeTakeFirst()
  const calls = readCalls(row?.calls ?? null).filter(({ status, reconciled }) => status === 'unknown' && !reconciled)
  return { calls, metadata: row?.metadata ?? null }
}

/** Stores what the endpoint said, by call id. Asks no more where nothing is left to ask. What was told earlier stays. */
export async function storeReconciled(
  db: Kysely<Schema>,
  due: DueExecution,
  told: ReadonlyMap<string, StoredReconciled>,
  maxBytes: number,
): Promise<void> {
  const { ownerId, executionId } = due
  await inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom('executions')
      .innerJoin('owners', 'owners.owner_id', 'executions.owner_id')
      .select(['calls', 'tier', 'stored_bytes'])
      .where('executions.owner_id', '=', ownerId)
      .where('execution_id', '=', executionId)
      .forUpdate('executions')
      .executeTakeFirst()
    if (!row) return
    const isFull = isPastBudget(row.tier, row.stored_bytes)
    const calls = readCalls(row.calls).map((call) => {
      const answer = told.get(call.callId)
      const isNews = answer !== undefined && call.status === 'unknown' && call.reconciled === undefined
      return isNews ? { ...call, reconciled: keptAnswer(call, answer, { maxBytes, isFull }) } : call
    })
    const isOver = calls.every(({ status, reconciled }) => status !== 'unknown' || reconciled !== undefined)
    const text = callsText(calls.map(asSettled))
    await executionOf(tx, due)
      .set({ calls: text, ...(isOver && { reconcile_at: null }) })
      .execute()
    const bytes = Buffer.byteLength(text ?? '') - Buffer.byteLength(row.calls ?? '')
    await addStoredBytes(tx, [{ ownerId, bytes }])
  })
}

function executionOf(db: Kysely<Schema>, { ownerId, executionId }: Pick<DueExecution, 'ownerId' | 'executionId'>) {
  return db.updateTable('executions').where('owner_id', '=', ownerId).where('execution_id', '=', executionId)
}
