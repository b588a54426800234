import type { Insertable, Kysely, Selectable } from 'kysely'
import { addAccountKey } from '../credentials/account-key-store.ts'
import type { NewCredential } from '../credentials/store.ts'
import type { Schema } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'

export type DeviceLoginRow = Selectable<Schema['device_logins']>

type NewDeviceLogin = Insertable<Schema['device_logins']>

/** Inserts a login that waits for its confirmation; false where its user code is in use. */
export async function insertDeviceLogin(db: Kysely<Schema>, login: NewDeviceLogin): Promise<boolean> {
  const inserted = await db
    .insertInto('device_logins')
    .values(login)
    .onConflict((conflict) => conflict.column('user_hash').doNothing())
    .returning('device_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The login of either code, confirmed or not, until it expires. */
export async function findDeviceLogin(
  db: Kysely<Schema>,
  { by, hashes, now }: { by: 'device_hash' | 'user_hash'; hashes: readonly string[]; now: number },
): Promise<DeviceLoginRow | null> {
  const found = db.selectFrom('device_logins').selectAll().where(by, 'in', hashes).where('expires_at', '>', now)
  return (await found.executeTakeFirst()) ?? null
}

/**
 * Changes a login unless it was polled or answered since it was read, and returns whether it did: of concurrent polls, and
 * of concurrent answers, one succeeds.
 */
export async function changeDeviceLogin(
  db: Kysely<Schema>,
  login: DeviceLoginRow,
  changes: { polled_at: number } | { owner_id: string; status: 'authorized' | 'denied' },
): Promise<boolean> {
  let query = db.updateTable('device_logins').set(changes).where('device_hash', '=', login.device_hash)
  query =
    'polled_at' in changes ? query.where('polled_at', '=', login.polled_at) : query.where('status', '=', 'pending')
  return (await query.returning('device_hash').executeTakeFirst()) !== undefined
}

/** Deletes a confirmed login and adds its key to the account, once. `full`: the account has as many keys as it may. */
export async function exchangeForKey(
  db: Kysely<Schema>,
  login: DeviceLoginRow,
  key: NewCredential,
): Promise<'added' | 'gone' | 'full'> {
  return inTransaction(db, async (tx) => {
    const deleted = await tx
      .deleteFrom('device_logins')
      .where('device_hash', '=', login.device_hash)
      .returning('device_hash')
      .executeTakeFirst()
    if (!deleted) return 'gone'
    return (await addAccountKey(tx, key)) ? 'added' : 'full'
  })
}

export async function deleteExpiredLogins(db: Kysely<Schema>, now: number): Promise<void> {
  await db.deleteFrom('device_logins').where('expires_at', '<=', now).execute()
}
