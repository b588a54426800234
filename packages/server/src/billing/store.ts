import type { Tier } from '@svc/contract'
import { type Insertable, type Selectable, sql } from 'kysely'
import { changeTier } from '../accounts/store.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import type { CheckoutStatus, PREVIOUS_STATUSES } from './rules.ts'

type CheckoutRow = Selectable<Schema['checkouts']>

/** The status of a checkout and the tier that its account has by then. */
export interface CheckoutOutcome {
  status: CheckoutStatus
  tier: Tier
}

/** What names a checkout, here and at its payment provider. */
export type CheckoutNames = Pick<CheckoutRow, 'owner_id' | 'checkout_id' | 'provider' | 'provider_ref'>

/** A checkout and the tier of its account. */
export interface CheckoutView extends CheckoutRow {
  owner_tier: Tier
}

/** The checkout with these columns, or null. */
export async function findCheckout(db: Db, columns: Partial<CheckoutRow>): Promise<CheckoutView | null> {
  const row = await checkouts(db)
    .where((eb) => eb.and(columns))
    .executeTakeFirst()
  return row ?? null
}

/**
 * The checkout of a subscription, or null. Before its payment is known a checkout has no subscription: it is found by the id
 * that the subscription was opened with.
 */
export async function findCheckoutOf(
  db: Db,
  names: { provider: CheckoutRow['provider']; subscriptionRef: string; checkoutId: string | null },
): Promise<CheckoutView | null> {
  const { provider, subscriptionRef, checkoutId } = names
  const known = await findCheckout(db, { provider, subscription_ref: subscriptionRef })
  if (known || checkoutId === null) return known
  return findCheckout(db, { provider, checkout_id: checkoutId, subscription_ref: null })
}

/** The checkouts of this account that can still be paid. */
export function listPending(db: Db, ownerId: string): Promise<CheckoutView[]> {
  return listByStatus(db, ownerId, 'pending')
}

export function listByStatus(db: Db, ownerId: string, status: CheckoutStatus): Promise<CheckoutView[]> {
  return checkouts(db).where('owner_id', '=', ownerId).where('status', '=', status).execute()
}

function checkouts(db: Db) {
  const tier = sql<Tier>`(select tier from owners where owners.owner_id = checkouts.owner_id)`
  return db.selectFrom('checkouts').selectAll().select(tier.as('owner_tier'))
}

/**
 * Inserts a checkout, and returns every checkout of the account that can still be paid. The account is locked, so each of
 * concurrent callers sees those before it, and the last one sees all.
 */
export async function insertCheckout(db: Db, checkout: Insertable<Schema['checkouts']>): Promise<CheckoutView[]> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, checkout.owner_id)
    await deleteExpired(tx, checkout.owner_id)
    await tx.insertInto('checkouts').values(checkout).execute()
    return listPending(tx, checkout.owner_id)
  })
}

const MAX_EXPIRED = 20

async function deleteExpired(tx: Tx, ownerId: string): Promise<void> {
  const expired = { owner_id: ownerId, status: 'expired' } as const
  const kept = tx
    .selectFrom('checkouts')
    .select('checkout_id')
    .where((eb) => eb.and(expired))
    .orderBy('created_at', 'desc')
    .orderBy('checkout_id', 'desc')
    .limit(MAX_EXPIRED)
  await tx
    .deleteFrom('checkouts')
    .where((eb) => eb.and(expired))
    .where('checkout_id', 'not in', kept)
    .execute()
}

/** `isNew`, `isTierNew`: whether this call has changed the checkout and the account's tier. */
interface Settled extends CheckoutOutcome {
  isNew: boolean
  isTierNew: boolean
}

/**
 * Stores the outcome of a checkout's payment, and changes the plan with it: a payment moves an account from the free plan to
 * the checkout's, and the end of the subscription moves it back unless another checkout still pays. The account is locked:
 * of concurrent callers with one outcome, one changes something.
 */
export async function settleCheckout(
  db: Db,
  { owner_id, checkout_id }: CheckoutNames,
  outcome: {
    status: keyof typeof PREVIOUS_STATUSES
    subscriptionRef: string | null
    from: readonly CheckoutStatus[]
    now: number
  },
): Promise<Settled> {
  const { status, subscriptionRef, from, now } = outcome
  return inTransaction(db, async (tx) => {
    const { tier, paid_by } = await lockOwner(tx, owner_id)
    const isThis = { owner_id, checkout_id }
    const checkout = await tx
      .selectFrom('checkouts')
      .select(['status', 'tier'])
      .where((eb) => eb.and(isThis))
      .executeTakeFirstOrThrow()
    const times = { paid: { paid_at: now }, expired: {}, ended: { ended_at: now } }
    if (!from.includes(checkout.status)) return { status: checkout.status, tier, isNew: false, isTierNew: false }
    await tx
      .updateTable('checkouts')
      .set({ status, subscription_ref: subscriptionRef, ...times[status] })
      .where((eb) => eb.and(isThis))
      .execute()
    let next = tier
    if (status === 'paid' && tier === 'free') {
      next = checkout.tier
      await changeTier(tx, { ownerId: owner_id, tier: next, paidBy: checkout_id, now })
    }
    if (status === 'ended' && paid_by === checkout_id && !(await payWithOther(tx, owner_id))) {
      next = 'free'
      await changeTier(tx, { ownerId: owner_id, tier: next, paidBy: null, now })
    }
    return { status, tier: next, isNew: true, isTierNew: next !== tier }
  })
}

/** Lets another paid checkout of the account pay for its plan; false where there is none. */
async function payWithOther(tx: Tx, ownerId: string): Promise<boolean> {
  const other = await tx
    .selectFrom('checkouts')
    .select('checkout_id')
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'paid')
    .orderBy('paid_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!other) return false
  await tx.updateTable('owners').set({ paid_by: other.checkout_id }).where('owner_id', '=', ownerId).execute()
  return true
}

/** The account's quota buckets by name, as the time at which each is full again. A bucket that was never used is absent. */
export async function readAllowances(db: Db, ownerId: string): Promise<Map<string, number>> {
  const rows = await db.selectFrom('allowances').select(['bucket', 'full_at']).where('owner_id', '=', ownerId).execute()
  return new Map(rows.map((row) => [row.bucket, row.full_at]))
}
