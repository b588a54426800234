import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { MAX_KNOWN_NETWORKS } from './rules.ts'

/** True where the account's password was given from this network at `since` or later. */
export async function isKnownNetwork(
  db: Db,
  { ownerId, network, since }: { ownerId: string; network: string; since: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .select('seen_at')
    .where((eb) => eb.and({ owner_id: ownerId, network }))
    .where('seen_at', '>=', since)
    .executeTakeFirst()
  return row !== undefined
}

/** Remembers a network of an account, in place of the least recently used one where there are too many. */
export function rememberNetwork(
  db: Db,
  { ownerId, network, seenAt }: { ownerId: string; network: string; seenAt: number },
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx
      .insertInto('known_networks')
      .values({ owner_id: ownerId, network, seen_at: seenAt })
      .onConflict((conflict) => conflict.columns(['owner_id', 'network']).doUpdateSet({ seen_at: seenAt }))
      .execute()
    const surplus = tx
      .selectFrom('known_networks')
      .select('network')
      .where('owner_id', '=', ownerId)
      .orderBy('seen_at', 'desc')
      .orderBy('network')
      .limit(MAX_KNOWN_NETWORKS)
      .offset(MAX_KNOWN_NETWORKS)
    await tx.deleteFrom('known_networks').where('owner_id', '=', ownerId).where('network', 'in', surplus).execute()
  })
}
