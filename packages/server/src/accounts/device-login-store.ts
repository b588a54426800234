import type { Insertable, Kysely, Selectable } from 'kysely'
import { addAccountKey } from '../credentials/account-key-store.ts'
import type { NewCredential } from '../credentials/store.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'

export type DeviceLoginRow = Selectable<Schema['device_logins']>

/** Notes a device that waits; false where its user code is in use. */
export async function insertDeviceLogin(
  db: Kysely<Schema>,
  login: Insertable<Schema['device_logins']>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('device_logins')
    .values(login)
    .onConflict((conflict) => conflict.column('user_hash').doNothing())
    .returning('device_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The login of either code, answered or not, until it expires. */
export async function findDeviceLogin(
  db: Kysely<Schema>,
  { by, hashes, now }: { by: 'device_hash' | 'user_hash'; hashes: readonly string[]; now: number },
): Promise<DeviceLoginRow | null> {
  const found = db.selectFrom('device_logins').selectAll().where(by, 'in', hashes).where('expires_at', '>', now)
  return (await found.executeTakeFirst()) ?? null
}

/** Notes a poll; false where another one was noted since the login was read. */
export async function notePoll(db: Kysely<Schema>, login: DeviceLoginRow, now: number): Promise<boolean> {
  const noted = await db
    .updateTable('device_logins')
    .set({ polled_at: now })
    .where('device_hash', '=', login.device_hash)
    .where('polled_at', '=', login.polled_at)
    .returning('device_hash')
    .executeTakeFirst()
  return noted !== undefined
}

/** Notes an owner's answer; false where one was noted before. */
export async function noteAnswer(
  db: Kysely<Schema>,
  login: DeviceLoginRow,
  answer: { owner_id: string; status: 'authorized' | 'denied' },
): Promise<boolean> {
  const noted = await db
    .updateTable('device_logins')
    .set(answer)
    .where('device_hash', '=', login.device_hash)
    .where('status', '=', 'pending')
    .returning('device_hash')
    .executeTakeFirst()
  return noted !== undefined
}

/** Ends an authorized login and adds its key to the account, once. Refused where the account has as many keys as it may. */
export async function exchangeForKey(
  db: Kysely<Schema>,
  login: DeviceLoginRow,
  key: NewCredential,
): Promise<'added' | 'gone' | 'full'> {
  return inTransaction(db, async (tx) => {
    const ended = await tx
      .deleteFrom('device_logins')
      .where('device_hash', '=', login.device_hash)
      .returning('device_hash')
      .executeTakeFirst()
    if (!ended) return 'gone'
    return (await addAccountKey(tx, key)) ? 'added' : 'full'
  })
}

/** Removes what nobody can use any more. */
export async function deleteExpiredLogins(db: Kysely<Schema>, now: number): Promise<void> {
  await db.deleteFrom('device_logins').where('expires_at', '<=', now).execute()
}
