import type { Tier } from '@svc/contract'
import { validCredentials } from '../credentials/store.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { ANONYMOUS_BUCKET, emptiestBuckets, MAIN_BUCKET } from '../usage/rules.ts'

export interface OwnerRow {
  ownerId: string
  email: string
  tier: Tier
}

export interface NewOwner extends OwnerRow {
  /** Epoch milliseconds. */
  createdAt: number
}

/** The account that a key of kind `account` opens, or null when no valid one has any of the hashes. */
export async function findOwnerByKey(
  db: Db,
  hashes: readonly string[],
  now: number,
): Promise<{ owner: OwnerRow; keyId: string; lastUsedAt: number | null } | null> {
  const row = await validCredentials(db, hashes, 'account', now)
    .innerJoin('owners', 'owners.owner_id', 'credentials.owner_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier', 'credential_id', 'last_used_at'])
    .executeTakeFirst()
  return row ? { owner: toOwner(row), keyId: row.credential_id, lastUsedAt: row.last_used_at } : null
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

/** An account, by id or by address in lower case, or null. */
export async function findOwner(
  db: Db,
  value: string,
  by: 'owner_id' | 'email' = 'owner_id',
): Promise<NewOwner | null> {
  const row = await db.selectFrom('owners').selectAll().where(by, '=', value).executeTakeFirst()
  return row ? { ...toOwner(row), createdAt: row.created_at } : null
}

export function toOwner(row: { owner_id: string; email: string; tier: Tier }): OwnerRow {
  return { ownerId: row.owner_id, email: row.email, tier: row.tier }
}

/** The account of this address, in lower case; inserted unless there is one. Concurrent callers insert one. */
export async function ensureOwner(db: Db, owner: NewOwner): Promise<OwnerRow> {
  return inTransaction(db, async (tx) => {
    await insertOwner(tx, owner)
    return toOwner(await tx.selectFrom('owners').selectAll().where('email', '=', owner.email).executeTakeFirstOrThrow())
  })
}

/** Inserts an account with full allowances; false where the address, in lower case, has one already. */
export async function insertOwner(tx: Tx, { ownerId, email, tier, createdAt }: NewOwner): Promise<boolean> {
  const inserted = await tx
    .insertInto('owners')
    .values({ owner_id: ownerId, email, tier, created_at: createdAt })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('owner_id')
    .executeTakeFirst()
  if (!inserted) return false
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
    const row = await tx.selectFrom('owners').selectAll().where('email', '=', email).forUpdate().executeTakeFirst()
    if (!row) return null
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
