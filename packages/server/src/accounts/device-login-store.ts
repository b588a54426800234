import type { Insertable, Selectable } from 'kysely'
import { addAccountKey } from '../credentials/account-key-store.ts'
import type { NewCredential } from '../credentials/store.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'

export type DeviceLoginRow = Selectable<Schema['device_logins']>

interface Confirmation {
  owner_id: string
  member_id: string
}

/** Inserts a login that waits for its confirmation; false where its user code is in use. */
export async function insertDeviceLogin(db: Db, login: Insertable<Schema['device_logins']>): Promise<boolean> {
  const inserted = await db
    .insertInto('device_logins')
    .values(login)
    .onConflict((conflict) => conflict.column('user_hash').doNothing())
    .returning('device_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The login of either code, confirmed or not, until it expires. */
export function findDeviceLogin(
  db: Db,
  { by, hashes, now }: { by: 'device_hash' | 'user_hash'; hashes: readonly string[]; now: number },
): Promise<DeviceLoginRow | undefined> {
  const found = db.selectFrom('device_logins').selectAll().where(by, 'in', hashes).where('expires_at', '>', now)
  return found.executeTakeFirst()
}

/**
 * Changes a login unless it was polled or answered since it was read, and returns whether it did: of concurrent polls, and
 * of concurrent answers, one succeeds.
 */
export async function changeDeviceLogin(
  db: Db,
  { device_hash, polled_at }: DeviceLoginRow,
  changes: { polled_at: number } | ({ status: 'authorized' | 'denied' } & Confirmation),
): Promise<boolean> {
  const unchanged = 'polled_at' in changes ? { polled_at } : { status: 'pending' as const }
  const changed = await db
    .updateTable('device_logins')
    .set(changes)
    .where((eb) => eb.and({ device_hash, ...unchanged }))
    .returning('device_hash')
    .executeTakeFirst()
  return changed !== undefined
}

/** Deletes a confirmed login and adds its key to the account, once. `full`: the account has as many keys as it may. */
export function exchangeForKey(
  db: Db,
  { device_hash }: DeviceLoginRow,
  key: NewCredential,
): Promise<'added' | 'gone' | 'full'> {
  return inTransaction(db, async (tx) => {
    const login = tx.deleteFrom('device_logins').where('device_hash', '=', device_hash).returning('device_hash')
    if (!(await login.executeTakeFirst())) return 'gone'
    return (await addAccountKey(tx, key)) === 'added' ? 'added' : 'full'
  })
}
