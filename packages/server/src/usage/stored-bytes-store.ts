import type { Kysely } from 'kysely'
import { type RowStatement, rowStatement, runRows } from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import type { Tx } from '../database/transaction.ts'

const ADD = addStatement()

function addStatement(): RowStatement<{ bytes: 'bigint'; owner_id: 'text' }> {
  const columns = { bytes: 'bigint', owner_id: 'text' } as const
  const sum = (given: string) => `case when stored_bytes + ${given} > 0 then stored_bytes + ${given} else 0 end`
  const { postgres } = rowStatement(
    columns,
    ({ given }) =>
      `update owners set stored_bytes = ${sum('given.bytes')} from ${given} where owners.owner_id = given.owner_id`,
  )
  return { columns, postgres, sqlite: 'update owners set stored_bytes = max(stored_bytes + ?, 0) where owner_id = ?' }
}

/** Adds to what accounts have stored, or takes off it, in the transaction that stores or deletes. */
export async function addStoredBytes(tx: Tx, added: readonly { ownerId: string; bytes: number }[]): Promise<void> {
  await runRows(
    tx,
    ADD,
    added.map(({ ownerId, bytes }) => ({ bytes, owner_id: ownerId })),
  )
}

/** How many bytes an account has stored, but for what waits in the journal of usage. */
export async function readStoredBytes(db: Kysely<Schema>, ownerId: string): Promise<number> {
  const row = await db.selectFrom('owners').select('stored_bytes').where('owner_id', '=', ownerId).executeTakeFirst()
  return row?.stored_bytes ?? 0
}
