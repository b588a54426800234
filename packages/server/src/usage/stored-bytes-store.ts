import { type Kysely, sql } from 'kysely'
import { recordset } from '../store/recordset.ts'
import type { Schema } from '../store/schema.ts'
import type { Tx } from '../store/transaction.ts'

const ADDED = { of: 'owners', columns: ['owner_id', 'stored_bytes'] } as const

/** Adds to the stored bytes of accounts, in the transaction that stores or deletes. */
export async function addStoredBytes(tx: Tx, added: readonly { ownerId: string; bytes: number }[]): Promise<void> {
  if (added.length === 0) return
  const rows = added.map(({ ownerId, bytes }) => ({ owner_id: ownerId, stored_bytes: bytes }))
  await sql`update owners
    set stored_bytes = case when owners.stored_bytes + given.stored_bytes > 0
      then owners.stored_bytes + given.stored_bytes else 0 end
    from ${recordset(tx, ADDED, rows)} where owners.owner_id = given.owner_id`.execute(tx)
}

/** The stored bytes of an account, without the waiting journal entries. */
export async function readStoredBytes(db: Kysely<Schema>, ownerId: string): Promise<number> {
  const row = await db.selectFrom('owners').select('stored_bytes').where('owner_id', '=', ownerId).executeTakeFirst()
  return row?.stored_bytes ?? 0
}
