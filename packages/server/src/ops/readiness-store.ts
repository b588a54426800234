import type { Kysely } from 'kysely'
import type { Schema } from '../store/schema.ts'

/** Writes this node's row as it is and reads it back: true where the database takes writes and the node has its lease. */
export async function touchNode(db: Kysely<Schema>, nodeId: string): Promise<boolean> {
  const written = await db
    .updateTable('nodes')
    .set((eb) => ({ started_at: eb.ref('started_at') }))
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  const read = await db.selectFrom('nodes').select('node_id').where('node_id', '=', nodeId).executeTakeFirst()
  return written.numUpdatedRows > 0n && read !== undefined
}
