import type { Insertable, Selectable } from 'kysely'
import { addAccountKey } from '../credentials/account-key-store.ts'
import type { NewCredential } from '../credentials/store.ts'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'

export type DeviceLoginRow = Selectable<Schema['device_logins']>

/** Inserts a login that waits for its confirmation; false where its user code is in use. */
export function insertDeviceLogin(db: Db, login: Insertable<Schema['device_logins']>): Promise<boolean> {
  const inserting = db.insertInto('device_logins').values(login)
  return hasEffect(inserting.onConflict((conflict) => conflict.column('user_hash').doNothing()))
}

/** The login of either code, confirmed or not, until it expires; or null. */
export function findDeviceLogin(
  db: Db,
  { by, hashes, now }: { by: 'device_hash' | 'user_hash'; hashes: readonly string[]; now: number },
): Promise<DeviceLoginRow | null> {
  return firstRow(db.selectFrom('device_logins').selectAll().where(by, 'in', hashes).where('expires_at', '>', now))
}

type Answer = { status: 'authorized' | 'denied'; owner_id: string; member_id: string }

/**
 * Changes a login unless it was polled or answered since it was read, and returns whether it did: of concurrent polls, and
 * of concurrent answers, one succeeds.
 */
export function changeDeviceLogin(
  db: Db,
  { device_hash, polled_at }: DeviceLoginRow,
  changes: { polled_at: number } | Answer,
): Promise<boolean> {
  const unchanged = 'polled_at' in changes ? { polled_at } : { status: 'pending' as const }
  const changing = db.updateTable('device_logins').set(changes)
  return hasEffect(changing.where(matching('device_logins', { device_hash, ...unchanged })))
}

/** Deletes a confirmed login and adds its key to the account, once. `full`: the account has as many keys as it may. */
export function exchangeForKey(db: Db, login: DeviceLoginRow, key: NewCredential): Promise<'added' | 'gone' | 'full'> {
  return inTransaction(db, async (tx) => {
    const confirmed = tx.deleteFrom('device_logins').where('device_hash', '=', login.device_hash)
    if (!(await hasEffect(confirmed))) return 'gone'
    return (await addAccountKey(tx, key)) === 'added' ? 'added' : 'full'
  })
}
