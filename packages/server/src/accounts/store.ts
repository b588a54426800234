import type { Role, Tier } from '@svc/contract'
import { validCredentials } from '../credentials/store.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { ANONYMOUS_BUCKET, emptiestBuckets, MAIN_BUCKET } from '../usage/rules.ts'
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
  const row = await validCredentials(db, hashes, 'account', now)
    .innerJoin('owners', 'owners.owner_id', 'credentials.owner_id')
    .leftJoin('members', 'members.member_id', 'credentials.member_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier', 'credential_id', 'last_used_at'])
    .select(['members.member_id', 'members.email as own_email', 'members.role as own_role', 'credentials.role'])
    .executeTakeFirst()
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

/** Stores that a key of the account is used now. */
export async function noteKeyUse(
  db: Db,
  { ownerId, keyId, now }: { ownerId: string; keyId: string; now: number },
): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ last_used_at: now })
    .where((eb) => eb.and({ owner_id: ownerId, credential_id: keyId }))
    .execute()
}

/** An account, by its id or by the address of a member in lower case, or null. */
export async function findOwner(
  db: Db,
  value: string,
  by: 'owner_id' | 'email' = 'owner_id',
): Promise<NewOwner | null> {
  const ownerId = by === 'email' ? (await findMember(db, value))?.ownerId : value
  if (ownerId === undefined) return null
  const row = await db.selectFrom('owners').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()
  return row ? { ...toOwner(row), createdAt: row.created_at } : null
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
  const inserted = await tx
    .insertInto('owners')
    .values({ owner_id: ownerId, email, tier, created_at: createdAt })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('owner_id')
    .executeTakeFirst()
  if (!inserted) return false
  if (!(await insertMember(tx, { memberId, ownerId, email, role: 'owner', joinedAt: createdAt }))) {
    // Somebody has joined another account with it meanwhile.
    await tx.deleteFrom('owners').where('owner_id', '=', ownerId).execute()
    return false
  }
  const buckets = [MAIN_BUCKET, ANONYMOUS_BUCKET]
  await tx
    .insertInto('allowances')
    .values(buckets.map((bucket) => ({ owner_id: ownerId, bucket, full_at: createdAt })))
    .execute()
  return true
}

/** Sets an account's tier by hand, at once for every replica; null when there is no such account. */
export async function updateTier(
  db: Db,
  { email, tier, now }: { email: string; tier: Tier; now: number },
): Promise<OwnerRow | null> {
  return inTransaction(db, async (tx) => {
    const ownerId = (await findMember(tx, email))?.ownerId
    if (ownerId === undefined) return null
    const row = await tx
      .selectFrom('owners')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .forUpdate()
      .executeTakeFirstOrThrow()
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
    await tx
      .updateTable('allowances')
      .set({ full_at: emptyUntil })
      .where('owner_id', '=', ownerId)
      .where('bucket', '=', bucket)
      .where('full_at', '>', emptyUntil)
      .execute()
  }
  // Admission compares revisions, so a cached runtime is read again with its new limits.
  await tx
    .updateTable('runtimes')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('owner_id', '=', ownerId)
    .execute()
}
