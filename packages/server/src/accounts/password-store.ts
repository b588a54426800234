import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { isoText } from './rules.ts'
import { insertOwner, type NewOwner } from './store.ts'

/** A password as it is kept, with its account and the number that goes up whenever it is changed. */
export interface StoredPassword {
  owner: NewOwner
  hash: string
  version: number
}

const PROVIDER = 'credential'
const FIRST_VERSION = 1

/**
 * Makes an account that can sign in, whole or not at all, and returns the version of its password; null where the
 * address has an account already. Many at once make one.
 */
export async function openAccount(db: Kysely<Schema>, owner: NewOwner, passwordHash: string): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    if (!(await insertOwner(tx, owner))) return null
    return putPassword(tx, { ownerId: owner.ownerId, passwordHash, now: owner.createdAt })
  })
}

/** Sets an account's password, its first one too, and ends all its sessions. Null: no account has this address. */
export async function setPassword(
  db: Kysely<Schema>,
  { email, passwordHash, now }: { email: string; passwordHash: string; now: number },
): Promise<{ ownerId: string; version: number } | null> {
  return inTransaction(db, async (tx) => {
    const owner = await tx
      .selectFrom('owners')
      .select('owner_id')
      .where('email', '=', email)
      .forUpdate()
      .executeTakeFirst()
    if (!owner) return null
    const ownerId = owner.owner_id
    return { ownerId, version: await putPassword(tx, { ownerId, passwordHash, now }) }
  })
}

/**
 * Replaces a password unless it is another one than `version` by now, and ends all sessions of the account. Returns the
 * new version, or null where it was changed meanwhile.
 */
export async function replacePassword(
  db: Kysely<Schema>,
  { ownerId, version, passwordHash, now }: { ownerId: string; version: number; passwordHash: string; now: number },
): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .updateTable('auth_accounts')
      .set({ password: passwordHash, password_version: version + 1, updated_at: isoText(now) })
      .where('owner_id', '=', ownerId)
      .where('provider_id', '=', PROVIDER)
      .where('password_version', '=', version)
      .returning('password_version')
      .executeTakeFirst()
    if (!row) return null
    await deleteSessionsOf(tx, ownerId)
    return row.password_version
  })
}

/** The password of an account, or null where it has none. */
export function findPassword(db: Kysely<Schema>, ownerId: string): Promise<StoredPassword | null> {
  return passwordWhere(db, 'owners.owner_id', ownerId)
}

/** The same by address, in lower case. */
export function findPasswordByEmail(db: Kysely<Schema>, email: string): Promise<StoredPassword | null> {
  return passwordWhere(db, 'owners.email', email)
}

async function passwordWhere(
  db: Kysely<Schema>,
  column: 'owners.owner_id' | 'owners.email',
  value: string,
): Promise<StoredPassword | null> {
  const row = await db
    .selectFrom('owners')
    .innerJoin('auth_accounts', 'auth_accounts.owner_id', 'owners.owner_id')
    .selectAll('owners')
    .select(['auth_accounts.password', 'auth_accounts.password_version'])
    .where(column, '=', value)
    .where('auth_accounts.provider_id', '=', PROVIDER)
    .executeTakeFirst()
  if (!row?.password) return null
  const owner = { ownerId: row.owner_id, email: row.email, tier: row.tier, createdAt: row.created_at }
  return { owner, hash: row.password, version: row.password_version }
}

interface NewPassword {
  ownerId: string
  passwordHash: string
  now: number
}

async function putPassword(tx: Tx, { ownerId, passwordHash, now }: NewPassword): Promise<number> {
  const times = { created_at: isoText(now), updated_at: isoText(now) }
  const { password_version } = await tx
    .insertInto('auth_accounts')
    .values({
      owner_id: ownerId,
      id: ownerId,
      account_id: ownerId,
      provider_id: PROVIDER,
      password: passwordHash,
      password_version: FIRST_VERSION,
      ...times,
    })
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'provider_id']).doUpdateSet((eb) => ({
        password: passwordHash,
        password_version: eb('auth_accounts.password_version', '+', 1),
        updated_at: times.updated_at,
      })),
    )
    .returning('password_version')
    .executeTakeFirstOrThrow()
  await deleteSessionsOf(tx, ownerId)
  return password_version
}

async function deleteSessionsOf(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('auth_sessions').where('owner_id', '=', ownerId).execute()
  // Confirmed by such a session, and not yet asked for by the device.
  await tx.deleteFrom('device_logins').where('owner_id', '=', ownerId).execute()
}
