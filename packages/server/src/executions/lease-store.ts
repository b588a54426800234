import { sql } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'

export interface StoredLease {
  nodeId: string
  until: number
}

/** `steadySince`: since when the node has renewed without a gap. */
interface Lease extends StoredLease {
  steadySince: number
}

/** `settings` is JSON text; null where the node stored none. */
export interface OtherLease extends StoredLease {
  settings: string | null
}

export async function takeLease(db: Db, node: Schema['nodes']): Promise<void> {
  await db.insertInto('nodes').values(node).execute()
}

export function readOtherLeases(db: Db, nodeId: string): Promise<OtherLease[]> {
  return db
    .selectFrom('nodes')
    .select(['node_id as nodeId', 'lease_until as until', 'settings'])
    .where('node_id', '!=', nodeId)
    .orderBy('node_id')
    .execute()
}

/** The latest `steadySince` of nodes whose leases end after `until`, or null. */
export async function readSteadySince(db: Db, until: number): Promise<number | null> {
  const row = await db
    .selectFrom('nodes')
    .select((nodes) => nodes.fn.max<number | null>('steady_since').as('since'))
    .where('lease_until', '>', until)
    .executeTakeFirst()
  return row?.since ?? null
}

/**
 * Renews a lease, also to an earlier end where a clock was ahead. False where the node has none: another node has failed
 * its executions. A renewal that arrives late, after one that ends past `latestUntil`, changes nothing.
 */
export async function extendLease(
  db: Db,
  { nodeId, latestUntil, until, steadySince }: Lease & { latestUntil: number },
): Promise<boolean> {
  const bigint = (at: number) => sql<number>`cast(${at} as bigint)`
  const unlessLate = (column: 'lease_until' | 'steady_since', at: number) =>
    sql<number>`case when lease_until > ${bigint(latestUntil)} then ${sql.ref(column)} else ${bigint(at)} end`
  const result = await db
    .updateTable('nodes')
    .set({ lease_until: unlessLate('lease_until', until), steady_since: unlessLate('steady_since', steadySince) })
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function dropLease(db: Db, nodeId: string): Promise<void> {
  await db.deleteFrom('nodes').where('node_id', '=', nodeId).execute()
}
