import type { Role, Tier } from '@svc/contract'
import { validCredentials } from '../credentials/store.ts'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { ANONYMOUS_BUCKET, emptiestBuckets, MAIN_BUCKET } from '../usage/quota-rules.ts'
import { findMember, insertMember, type Member, toMember } from './member-store.ts'

export interface OwnerRow {
  ownerId: string
  email: string
  tier: Tier
}

export interface NewOwner extends OwnerRow {
  /** Epoch milliseconds. */
  createdAt: number
}

/** An account with its first member, who has its address. */
export interface NewAccount extends NewOwner {
  memberId: string
}

/** The account that a key of kind `account` opens, or null when no valid one has any of the hashes. */
export async function findOwnerByKey(db: Db, hashes: readonly string[], now: number): Promise<FoundKey | null> {
  const keys = validCredentials(db, hashes, 'account', now)
    .innerJoin('owners', 'owners.owner_id', 'credentials.owner_id')
    .leftJoin('members', 'members.member_id', 'credentials.member_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier', 'credential_id', 'last_used_at'])
    .select(['members.member_id', 'members.email as own_email', 'members.role as own_role', 'credentials.role'])
  const row = await firstRow(keys)
  if (!row) return null
  const { member_id, own_email, own_role } = row
  const member =
    member_id && own_email && own_role ? toMember({ ...row, member_id, email: own_email, role: own_role }) : null
  const role = member?.role ?? row.role
  return role && { owner: toOwner(row), member, role, keyId: row.credential_id, lastUsedAt: row.last_used_at }
}

export interface FoundKey {
  owner: OwnerRow
  /** Whose `svc login` made the key; null for a key of the account. */
  member: Member | null
  role: Role
  keyId: string
  lastUsedAt: number | null
}

export async function noteKeyUse(db: Db, ownerId: string, keyId: string, now: number): Promise<void> {
  const key = matching('credentials', { owner_id: ownerId, credential_id: keyId })
  await db.updateTable('credentials').set({ last_used_at: now }).where(key).execute()
}

export async function findOwner(db: Db, ownerId: string): Promise<NewOwner | null> {
  const row = await firstRow(db.selectFrom('owners').selectAll().where('owner_id', '=', ownerId))
  return row && { ...toOwner(row), createdAt: row.created_at }
}

/** The account of a member, by their address in lower case, or null. */
export async function findOwnerOf(db: Db, email: string): Promise<NewOwner | null> {
  const member = await findMember(db, email)
  return member && findOwner(db, member.ownerId)
}

export function toOwner(row: { owner_id: string; email: string; tier: Tier }): OwnerRow {
  return { ownerId: row.owner_id, email: row.email, tier: row.tier }
}

/**
 * The account of a member of this address, in lower case; inserted unless there is one, and the role of that member.
 * Concurrent callers insert one.
 */
export async function ensureOwner(db: Db, account: NewAccount): Promise<{ owner: OwnerRow; role: Role }> {
  return inTransaction(db, async (tx) => {
    await insertOwner(tx, account)
    const row = await tx
      .selectFrom('members')
      .innerJoin('owners', 'owners.owner_id', 'members.owner_id')
      .select(['owners.owner_id', 'owners.email', 'owners.tier', 'members.role'])
      .where('members.email', '=', account.email)
      .executeTakeFirstOrThrow()
    return { owner: toOwner(row), role: row.role }
  })
}

/** Inserts an account with full allowances; false where the address, in lower case, belongs to a member already. */
export async function insertOwner(tx: Tx, account: NewAccount): Promise<boolean> {
  const { ownerId, memberId, email, tier, createdAt } = account
  if (await findMember(tx, email)) return false
  const inserting = tx.insertInto('owners').values({ owner_id: ownerId, email, tier, created_at: createdAt })
  if (!(await hasEffect(inserting.onConflict((conflict) => conflict.column('email').doNothing())))) return false
  if (!(await insertMember(tx, { memberId, ownerId, email, role: 'owner', joinedAt: createdAt }))) {
    // Somebody has joined another account with it meanwhile.
    await tx.deleteFrom('owners').where('owner_id', '=', ownerId).execute()
    return false
  }
  const buckets = [MAIN_BUCKET, ANONYMOUS_BUCKET].map((bucket) => ({ owner_id: ownerId, bucket, full_at: createdAt }))
  await tx.insertInto('allowances').values(buckets).execute()
  return true
}

/** Sets an account's tier by hand, at once for every replica; null when there is no such account. */
export function updateTier(db: Db, email: string, tier: Tier, now: number): Promise<OwnerRow | null> {
  return inTransaction(db, async (tx) => {
    const member = await findMember(tx, email)
    if (!member) return null
    const account = tx.selectFrom('owners').selectAll().where('owner_id', '=', member.ownerId).forUpdate()
    const row = await account.executeTakeFirstOrThrow()
    await changeTier(tx, { ownerId: row.owner_id, tier, paidBy: null, now })
    return toOwner({ ...row, tier })
  })
}

/**
 * Changes the tier of an account whose row the transaction has locked, at once for every replica. `paidBy` is the checkout
 * that paid for it; null where it was set by hand, and then no subscription's end changes it.
 */
export async function changeTier(
  tx: Tx,
  { ownerId, tier, paidBy, now }: { ownerId: string; tier: Tier; paidBy: string | null; now: number },
): Promise<void> {
  await tx.updateTable('owners').set({ tier, paid_by: paidBy }).where('owner_id', '=', ownerId).execute()
  for (const { bucket, emptyUntil } of emptiestBuckets(tier, now)) {
    const fuller = tx.updateTable('allowances').set({ full_at: emptyUntil }).where('full_at', '>', emptyUntil)
    await fuller.where(matching('allowances', { owner_id: ownerId, bucket })).execute()
  }
  await reviseRuntimes(tx, ownerId)
}

/** Admission compares revisions: a cached runtime of the account is read again, on every replica. */
export async function reviseRuntimes(tx: Tx, ownerId: string): Promise<void> {
  const runtimes = tx.updateTable('runtimes').where('owner_id', '=', ownerId)
  await runtimes.set((eb) => ({ revision: eb('revision', '+', 1) })).execute()
}
