import type { Kysely } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { isoText } from './rules.ts'
import { insertOwner, type NewOwner, toOwner } from './store.ts'

/** A stored password with its account. `version` increases with every change. */
export interface StoredPassword {
  owner: NewOwner
  hash: string
  version: number
}

const PROVIDER = 'credential'

/** Inserts an account with a password and returns the password's version; null where the address has an account. */
export async function openAccount(db: Kysely<Schema>, owner: NewOwner, passwordHash: string): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    if (!(await insertOwner(tx, owner))) return null
    return putPassword(tx, { ownerId: owner.ownerId, passwordHash, now: owner.createdAt })
  })
}

/** Sets an account's password, the first one too, and ends all its sessions. Null where no account has this address. */
export async function setPassword(
  db: Kysely<Schema>,
  { email, passwordHash, now }: { email: string; passwordHash: string; now: number },
): Promise<{ ownerId: string } | null> {
  return inTransaction(db, async (tx) => {
    const owner = await tx.selectFrom('owners').selectAll().where('email', '=', email).forUpdate().executeTakeFirst()
    if (!owner) return null
    await putPassword(tx, { ownerId: owner.owner_id, passwordHash, now })
    return { ownerId: owner.owner_id }
  })
}

/**
 * Replaces a password that still has this version, and ends all sessions of the account. Returns the new version; null
 * where the password was changed meanwhile.
 */
export async function replacePassword(
  db: Kysely<Schema>,
  { version, ...password }: NewPassword & { version: number },
): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const stored = await tx
      .selectFrom('auth_accounts')
      .select('password_version')
      .where('owner_id', '=', password.ownerId)
      .where('provider_id', '=', PROVIDER)
      .forUpdate()
      .executeTakeFirst()
    return stored?.password_version === version ? putPassword(tx, password) : null
  })
}

/** The password of an account, by id or by address in lower case, or null where it has none. */
export async function findPassword(
  db: Kysely<Schema>,
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

interface NewPassword {
  ownerId: string
  passwordHash: string
  now: number
}

async function putPassword(tx: Tx, { ownerId, passwordHash, now }: NewPassword): Promise<number> {
  const changed = { password: passwordHash, updated_at: isoText(now) }
  const ids = { owner_id: ownerId, id: ownerId, account_id: ownerId, provider_id: PROVIDER }
  const { password_version } = await tx
    .insertInto('auth_accounts')
    .values({ ...ids, ...changed, password_version: 1, created_at: isoText(now) })
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
  return password_version
}
