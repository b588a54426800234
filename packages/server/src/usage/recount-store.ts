import { type Kysely, sql } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { readWaiting, WAITING_USAGES } from './journal-store.ts'
import { SQL_BYTES } from './stored-bytes-rules.ts'

/**
 * Counts an account's stored bytes anew and corrects the figure, also while the service runs: one statement reads everything,
 * and the difference is added.
 */
export async function recountStoredBytes(
  db: Kysely<Schema>,
  ownerId: string,
): Promise<{ before: number; counted: number } | null> {
  const ended = sql<number>`(select coalesce(sum(${sql.raw(SQL_BYTES.executions)}), 0) from executions
    where owner_id = ${ownerId} and status <> 'running')`
  const manifests = sql<number>`(select coalesce(sum(${sql.raw(SQL_BYTES.deployments)}), 0) from deployments
    where owner_id = ${ownerId})`
  const approvals = sql<number>`(select coalesce(sum(${sql.raw(SQL_BYTES.approvals)}), 0) from approvals
    where owner_id = ${ownerId})`
  const row = await db
    .selectFrom('owners')
    .select(['stored_bytes', ended.as('ended'), manifests.as('manifests'), approvals.as('approvals')])
    .select(WAITING_USAGES.as('waiting'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!row) return null
  const waiting = readWaiting(row.waiting).filter((usage) => usage.ownerId === ownerId)
  const waitingBytes = waiting.reduce((sum, { storedBytes }) => sum + storedBytes, 0)
  const counted = row.ended + row.manifests + row.approvals
  const before = row.stored_bytes + waitingBytes
  await db
    .updateTable('owners')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', counted - before) }))
    .where('owner_id', '=', ownerId)
    .execute()
  return { before, counted }
}
