import { type Kysely, sql } from 'kysely'
import { firstRow } from '../store/rows.ts'
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
  const bytesOf = (table: keyof typeof SQL_BYTES, condition = 'true') =>
    sql<number>`(select coalesce(sum(${sql.raw(SQL_BYTES[table])}), 0) from ${sql.table(table)}
      where owner_id = ${ownerId} and ${sql.raw(condition)})`
  const ended = bytesOf('executions', `status <> 'running'`)
  const sums = [
    ended.as('ended'),
    bytesOf('deployments').as('manifests'),
    bytesOf('approvals').as('approvals'),
  ] as const
  const account = db.selectFrom('owners').where('owner_id', '=', ownerId)
  const row = await firstRow(account.select('stored_bytes').select(sums).select(WAITING_USAGES.as('waiting')))
  if (!row) return null
  const waiting = readWaiting(row.waiting).filter((usage) => usage.ownerId === ownerId)
  const waitingBytes = waiting.reduce((sum, { storedBytes }) => sum + storedBytes, 0)
  const counted = row.ended + row.manifests + row.approvals
  const before = row.stored_bytes + waitingBytes
  const corrected = db.updateTable('owners').where('owner_id', '=', ownerId)
  await corrected.set((eb) => ({ stored_bytes: eb('stored_bytes', '+', counted - before) })).execute()
  return { before, counted }
}
