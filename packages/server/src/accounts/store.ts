import type { Tier } from '@svc/contract'
import type { Kysely } from 'kysely'
import { validCredentials } from '../credentials/store.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { ANONYMOUS_BUCKET, emptiestBuckets, MAIN_BUCKET } from '../usage/rules.ts'

/** An account. */
export interface OwnerRow {
  ownerId: string
  email: string
  tier: Tier
}

/** The account that a key of kind `account` opens, or null when no valid one has any of the hashes. */
export async function findOwnerByKey(
  db: Kysely<Schema>,
  hashes: readonly string[],
  now: number,
): Promise<OwnerRow | null> {
  const row = await validCredentials(db, hashes, 'account', now)
    .innerJoin('owners', 'owners.owner_id', 'credentials.owner_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier'])
    .executeTakeFirst()
  return row ? { ownerId: row.owner_id, email: row.email, tier: row.tier } : null
}

/** The account of this address, in lower case, or null. */
export async function findOwnerByEmail(db: Kysely<Schema>, email: string): Promise<OwnerRow | null> {
  const row = await db.selectFrom('owners').selectAll().where('email', '=', email).executeTakeFirst()
  return row ? { ownerId: row.owner_id, email: row.email, tier: row.tier } : null
}

/** Ids of accounts in their order, `limit` of them after one. */
export async function listOwnerIds(
  db: Kysely<Schema>,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('owners')
    .select('owner_id')
    .where('owner_id', '>', after)
    .orderBy('owner_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.owner_id)
}

export interface NewOwner extends OwnerRow {
  createdAt: number
}

/** An account with the time of its making, or null. */
export async function findOwner(db: Kysely<Schema>, ownerId: string): Promise<NewOwner | null> {
  const row = await db.selectFrom('owners').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()
  return row ? { ownerId, email: row.email, tier: row.tier, createdAt: row.created_at } : null
}

/**
 * The account of this address; made, with its full allowances, when there is none.
 * `email` must be in lower case. Many at once make one.
 */
export async function ensureOwner(db: Kysely<Schema>, owner: NewOwner): Promise<OwnerRow> {
  return inTransaction(db, async (tx) => {
    await insertOwner(tx, owner)
    const row = await tx.selectFrom('owners').selectAll().where('email', '=', owner.email).executeTakeFirstOrThrow()
    return { ownerId: row.owner_id, email: row.email, tier: row.tier }
  })
}

/** Makes an account with its full allowances; false where the address, in lower case, has one already. */
export async function insertOwner(tx: Tx, owner: NewOwner): Promise<boolean> {
  const inserted = await tx
    .insertInto('owners')
    .values({ owner_id: owner.ownerId, email: owner.email, tier: owner.tier, created_at: owner.createdAt })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('owner_id')
    .executeTakeFirst()
  if (!inserted) return false
  const buckets = [MAIN_BUCKET, ANONYMOUS_BUCKET]
  await tx
    .insertInto('allowances')
    .values(buckets.map((bucket) => ({ owner_id: owner.ownerId, bucket, full_at: owner.createdAt })))
    .execute()
  return true
}

/** Changes an account's tier by hand, at once for every replica; null when there is no such account. */
export async function updateTier(
  db: Kysely<Schema>,
  { email, tier, now }: { email: string; tier: Tier; now: number },
): Promise<OwnerRow | null> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom('owners')
      .select(['owner_id', 'email'])
      .where('email', '=', email)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return null
    await changeTier(tx, { ownerId: row.owner_id, tier, paidBy: null, now })
    return { ownerId: row.owner_id, email: row.email, tier }
  })
}

/**
 * Changes the tier of an account whose row the transaction has locked, at once for every replica. `paidBy` is the checkout
 * that it was paid with; a tier that was given by hand ends with no subscription.
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
  // Admission compares revisions, so a cached runtime is read again under its new limits.
  await tx
    .updateTable('runtimes')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('owner_id', '=', ownerId)
    .execute()
}
