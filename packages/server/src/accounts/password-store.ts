import type { Insertable } from 'kysely'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { type Member, revokeKeysOf, toMember } from './member-store.ts'
import { insertOwner, type NewAccount, type NewOwner, toOwner } from './store.ts'

/** A stored password with whose it is. `version` increases with every change. */
export interface StoredPassword {
  owner: NewOwner
  member: Member
  hash: string
  version: number
}

/** Inserts an account whose owner has a password, and returns its version; null where the address has an account. */
export function openAccount(db: Db, account: NewAccount, passwordHash: string): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    if (!(await insertOwner(tx, account))) return null
    return setNewPassword(tx, account.memberId, passwordHash)
  })
}

/** Sets the password of an address, the first one too, and ends all sessions of it. Null where no member has the address. */
export function setPassword(db: Db, email: string, passwordHash: string): Promise<Member | null> {
  return inTransaction(db, async (tx) => {
    const row = await firstRow(tx.selectFrom('members').selectAll().where('email', '=', email).forUpdate())
    if (!row) return null
    await setNewPassword(tx, row.member_id, passwordHash)
    return toMember(row)
  })
}

/** Stores the hash of a member's one link, in place of an earlier one. */
export async function putResetLink(db: Db, link: Insertable<Schema['password_resets']>): Promise<void> {
  const { token_hash, expires_at } = link
  await db
    .insertInto('password_resets')
    .values(link)
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet({ token_hash, expires_at }))
    .execute()
}

/** The member whose link has one of these hashes, or null where there is none or it has expired. */
export async function findResetLink(db: Db, hashes: readonly string[], now: number): Promise<string | null> {
  const valid = db.selectFrom('password_resets').select('member_id').where('expires_at', '>', now)
  return (await firstRow(valid.where('token_hash', 'in', hashes)))?.member_id ?? null
}

interface LinkUse {
  hashes: readonly string[]
  memberId: string
  passwordHash: string
  revokeKeys: boolean
  now: number
}

/** Sets the password of a link's member and ends all their sessions, once: false where the link is no longer valid. */
export function usePasswordLink(db: Db, use: LinkUse): Promise<boolean> {
  const { hashes, memberId, passwordHash, revokeKeys, now } = use
  return inTransaction(db, async (tx) => {
    // Locked first: of two uses at once, one finds the link gone.
    const member = await firstRow(tx.selectFrom('members').selectAll().where('member_id', '=', memberId).forUpdate())
    if (!member) return false
    const used = tx.deleteFrom('password_resets').where('member_id', '=', memberId)
    if (!(await hasEffect(used.where('token_hash', 'in', hashes).where('expires_at', '>', now)))) return false
    await setNewPassword(tx, memberId, passwordHash)
    if (revokeKeys) {
      // No key is being made meanwhile by one that ends.
      await lockOwner(tx, member.owner_id)
      await revokeKeysOf(tx, toMember(member), now)
    }
    return true
  })
}

/**
 * Replaces a password that still has this version, and ends all sessions of the member. Returns the new version; null where
 * the password was changed meanwhile.
 */
export function replacePassword(
  db: Db,
  { memberId, version, passwordHash }: { memberId: string; version: number; passwordHash: string },
): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const found = tx.selectFrom('members').select('password_version').where('member_id', '=', memberId)
    const stored = await firstRow(found.forUpdate())
    return stored?.password_version === version ? setNewPassword(tx, memberId, passwordHash) : null
  })
}

type Who = { member_id: string } | { email: string }

/** The password of a member, by id or by address in lower case, or null where there is none. */
export async function findPassword(db: Db, who: Who): Promise<StoredPassword | null> {
  const members = db
    .selectFrom('members')
    .innerJoin('owners', 'owners.owner_id', 'members.owner_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier', 'owners.created_at'])
    .select(['members.member_id', 'members.email as own_email', 'role', 'password', 'password_version'])
  const row = await firstRow(members.where(matching('members', who)))
  if (!row?.password) return null
  return {
    owner: { ...toOwner(row), createdAt: row.created_at },
    member: toMember({ ...row, email: row.own_email }),
    hash: row.password,
    version: row.password_version,
  }
}

/** Stores a member's password, ends all that an earlier one began, and returns the version of the new one. */
export async function setNewPassword(tx: Tx, memberId: string, passwordHash: string): Promise<number> {
  const { password_version } = await tx
    .updateTable('members')
    .set((eb) => ({ password: passwordHash, password_version: eb('password_version', '+', 1) }))
    .where('member_id', '=', memberId)
    .returning('password_version')
    .executeTakeFirstOrThrow()
  // Device logins: those that such a session confirmed and whose key was not fetched yet.
  for (const table of ['auth_sessions', 'device_logins', 'password_resets'] as const) {
    await tx.deleteFrom(table).where('member_id', '=', memberId).execute()
  }
  return password_version
}
