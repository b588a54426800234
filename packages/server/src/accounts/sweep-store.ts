import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'

/** Deletes what has expired by now, and the networks that were last used before `usedBefore`. */
export async function deleteExpired(db: Db, now: number, usedBefore: number): Promise<void> {
  await db.deleteFrom('auth_sessions').where('valid_until', '<=', now).execute()
  await db.deleteFrom('device_logins').where('expires_at', '<=', now).execute()
  // A missing bucket counts as full.
  await inTransaction(db, (tx) => tx.deleteFrom('throttles').where('full_at', '<=', now).execute())
  await inTransaction(db, (tx) => tx.deleteFrom('known_networks').where('seen_at', '<', usedBefore).execute())
}
