import { firstRow, matching } from '../store/rows.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { MAX_KNOWN_NETWORKS } from './rules.ts'

interface KnownNetwork {
  memberId: string
  /** A hash. */
  network: string
}

/** True where the member's password was given from this network at `since` or later. */
export async function isKnownNetwork(db: Db, { memberId, network }: KnownNetwork, since: number): Promise<boolean> {
  const known = db.selectFrom('known_networks').select('seen_at').where('seen_at', '>=', since)
  return (await firstRow(known.where(matching('known_networks', { member_id: memberId, network })))) !== null
}

/** Remembers a network of a member, in place of the least recently used one where there are too many. */
export function rememberNetwork(
  db: Db,
  { memberId, network, ownerId }: KnownNetwork & { ownerId: string },
  seenAt: number,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx
      .insertInto('known_networks')
      .values({ owner_id: ownerId, member_id: memberId, network, seen_at: seenAt })
      .onConflict((conflict) => conflict.columns(['owner_id', 'network']).doUpdateSet({ seen_at: seenAt }))
      .execute()
    const own = tx.selectFrom('known_networks').select('network').where('member_id', '=', memberId)
    const newestFirst = own.orderBy('seen_at', 'desc').orderBy('network')
    const surplus = newestFirst.limit(MAX_KNOWN_NETWORKS).offset(MAX_KNOWN_NETWORKS)
    await tx.deleteFrom('known_networks').where('member_id', '=', memberId).where('network', 'in', surplus).execute()
  })
}

/**
 * Locks the token buckets of these subjects, creating them where needed, and stores what `change` makes of them: the time
 * at which each is full again, by subject. Returns what `change` returns, which may be called again after a conflict.
 */
export async function updateBuckets<T>(
  db: Db,
  subjects: readonly string[],
  change: (fullAt: Map<string, number>) => T,
): Promise<T> {
  // Sorted, so that no two transactions wait for each other.
  const rows = [...subjects].sort().map((subject) => ({ subject, full_at: 0 }))
  return inTransaction(db, async (tx) => {
    const stored = await tx
      .insertInto('throttles')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({ full_at: eb.ref('throttles.full_at') })),
      )
      .returning(['subject', 'full_at'])
      .execute()
    const buckets = new Map(stored.map((row) => [row.subject, row.full_at]))
    const answer = change(buckets)
    for (const { subject, full_at } of stored) {
      const next = buckets.get(subject) ?? full_at
      if (next === full_at) continue
      await tx.updateTable('throttles').set({ full_at: next }).where('subject', '=', subject).execute()
    }
    return answer
  })
}

/** Deletes what has expired by now, and the networks that were last used before `usedBefore`. */
export async function deleteExpired(db: Db, now: number, usedBefore: number): Promise<void> {
  await db.deleteFrom('auth_sessions').where('valid_until', '<=', now).execute()
  for (const table of ['device_logins', 'password_resets', 'invitations'] as const) {
    await db.deleteFrom(table).where('expires_at', '<=', now).execute()
  }
  // A missing bucket counts as full.
  await inTransaction(db, (tx) => tx.deleteFrom('throttles').where('full_at', '<=', now).execute())
  await inTransaction(db, (tx) => tx.deleteFrom('known_networks').where('seen_at', '<', usedBefore).execute())
}
