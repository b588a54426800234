import type { Insertable } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { insertOwner, type NewOwner, toOwner } from './store.ts'

/** A stored password with its account. `version` increases with every change. */
export interface StoredPassword {
  owner: NewOwner
  hash: string
  version: number
}

interface NewPassword {
  ownerId: string
  passwordHash: string
  now: number
}

const PROVIDER = 'credential'

/** Inserts an account with a password and returns the password's version; null where the address has an account. */
export function openAccount(db: Db, owner: NewOwner, passwordHash: string): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    if (!(await insertOwner(tx, owner))) return null
    return putPassword(tx, { ownerId: owner.ownerId, passwordHash, now: owner.createdAt })
  })
}

/** Sets an account's password, the first one too, and ends all its sessions. Null where no account has this address. */
export function setPassword(
  db: Db,
  { email, ...password }: Omit<NewPassword, 'ownerId'> & { email: string },
): Promise<{ ownerId: string } | null> {
  return inTransaction(db, async (tx) => {
    const owner = await tx.selectFrom('owners').selectAll().where('email', '=', email).forUpdate().executeTakeFirst()
    if (!owner) return null
    await putPassword(tx, { ...password, ownerId: owner.owner_id })
    return { ownerId: owner.owner_id }
  })
}

/** Stores the hash of an account's one link, in place of an earlier one. */
export async function putResetLink(db: Db, link: Insertable<Schema['password_resets']>): Promise<void> {
  const { token_hash, expires_at } = link
  await db
    .insertInto('password_resets')
    .values(link)
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ token_hash, expires_at }))
    .execute()
}

/** The account whose link has one of these hashes, or null where there is none or it has expired. */
export async function findResetLink(db: Db, hashes: readonly string[], now: number): Promise<string | null> {
  const valid = db.selectFrom('password_resets').select('owner_id').where('token_hash', 'in', hashes)
  return (await valid.where('expires_at', '>', now).executeTakeFirst())?.owner_id ?? null
}

/** Sets the password of a link's account and ends all its sessions, once: false where the link is no longer valid. */
export function usePasswordLink(
  db: Db,
  { hashes, ...password }: NewPassword & { hashes: readonly string[] },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, password.ownerId)
    const used = tx.deleteFrom('password_resets').where('owner_id', '=', password.ownerId)
    const valid = used.where('token_hash', 'in', hashes).where('expires_at', '>', password.now)
    if (!(await valid.returning('owner_id').executeTakeFirst())) return false
    await putPassword(tx, password)
    return true
  })
}

/**
 * Replaces a password that still has this version, and ends all sessions of the account. Returns the new version; null
 * where the password was changed meanwhile.
 */
export function replacePassword(
  db: Db,
  { version, ...password }: NewPassword & { version: number },
): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const stored = await tx
      .selectFrom('auth_accounts')
      .select('password_version')
      .where((eb) => eb.and({ owner_id: password.ownerId, provider_id: PROVIDER }))
      .forUpdate()
      .executeTakeFirst()
    return stored?.password_version === version ? putPassword(tx, password) : null
  })
}

/** The password of an account, by id or by address in lower case, or null where it has none. */
export async function findPassword(
  db: Db,
  value: string,
  by: 'owner_id' | 'email' = 'owner_id',
): Promise<StoredPassword | null> {
  const row = await db
    .selectFrom('owners')
    .innerJoin('auth_accounts', 'auth_accounts.owner_id', 'owners.owner_id')
    .selectAll('owners')
    .select(['auth_accounts.password', 'auth_accounts.password_version'])
    .where(`owners.${by}`, '=', value)
    .where('auth_accounts.provider_id', '=', PROVIDER)
    .executeTakeFirst()
  if (!row?.password) return null
  return { owner: { ...toOwner(row), createdAt: row.created_at }, hash: row.password, version: row.password_version }
}

async function putPassword(tx: Tx, { ownerId, passwordHash, now }: NewPassword): Promise<number> {
  // Nothing reads the times.
  const at = new Date(now).toISOString()
  const changed = { password: passwordHash, updated_at: at }
  const ids = { owner_id: ownerId, id: ownerId, account_id: ownerId, provider_id: PROVIDER }
  const { password_version } = await tx
    .insertInto('auth_accounts')
    .values({ ...ids, ...changed, password_version: 1, created_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'provider_id'])
        .doUpdateSet((eb) => ({ ...changed, password_version: eb('auth_accounts.password_version', '+', 1) })),
    )
    .returning('password_version')
    .executeTakeFirstOrThrow()
  await tx.deleteFrom('auth_sessions').where('owner_id', '=', ownerId).execute()
  // Device logins that such a session confirmed and whose key was not fetched yet.
  await tx.deleteFrom('device_logins').where('owner_id', '=', ownerId).execute()
  await tx.deleteFrom('password_resets').where('owner_id', '=', ownerId).execute()
  return password_version
}
