import type { Tier } from '@svc/contract'
import { type Insertable, type Selectable, sql } from 'kysely'
import { changeTier } from '../accounts/store.ts'
import { firstRow, matching } from '../store/rows.ts'
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

export interface CheckoutView extends CheckoutRow {
  owner_tier: Tier
}

export function findCheckout(db: Db, columns: Partial<CheckoutRow>): Promise<CheckoutView | null> {
  return firstRow(checkouts(db, columns))
}

type SubscriptionNames = { provider: CheckoutRow['provider']; subscriptionRef: string; checkoutId: string | null }

/**
 * The checkout of a subscription, or null. Before its payment is known a checkout has no subscription: it is found by the id
 * that the subscription was opened with.
 */
export async function findCheckoutOf(db: Db, names: SubscriptionNames): Promise<CheckoutView | null> {
  const { provider, subscriptionRef, checkoutId } = names
  const known = await findCheckout(db, { provider, subscription_ref: subscriptionRef })
  if (known || checkoutId === null) return known
  return findCheckout(db, { provider, checkout_id: checkoutId, subscription_ref: null })
}

/** The checkouts of this account in one status; those that are pending can still be paid. */
export function listByStatus(db: Db, owner_id: string, status: CheckoutStatus): Promise<CheckoutView[]> {
  return checkouts(db, { owner_id, status }).execute()
}

function checkouts(db: Db, columns: Partial<CheckoutRow>) {
  const tier = sql<Tier>`(select tier from owners where owners.owner_id = checkouts.owner_id)`
  return db.selectFrom('checkouts').selectAll().select(tier.as('owner_tier')).where(matching('checkouts', columns))
}

/**
 * Inserts a checkout, and returns every checkout of the account that can still be paid. The account is locked, so each of
 * concurrent callers sees those before it, and the last one sees all.
 */
export function insertCheckout(db: Db, checkout: Insertable<Schema['checkouts']>): Promise<CheckoutView[]> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, checkout.owner_id)
    await deleteExpired(tx, checkout.owner_id)
    await tx.insertInto('checkouts').values(checkout).execute()
    return listByStatus(tx, checkout.owner_id, 'pending')
  })
}

const MAX_EXPIRED = 20

async function deleteExpired(tx: Tx, ownerId: string): Promise<void> {
  const expired = matching('checkouts', { owner_id: ownerId, status: 'expired' })
  const newestFirst = tx.selectFrom('checkouts').select('checkout_id').where(expired).orderBy('created_at', 'desc')
  const kept = newestFirst.orderBy('checkout_id', 'desc').limit(MAX_EXPIRED)
  await tx.deleteFrom('checkouts').where(expired).where('checkout_id', 'not in', kept).execute()
}

/** `isNew`, `isTierNew`: whether this call has changed the checkout and the account's tier. */
interface Settled extends CheckoutOutcome {
  isNew: boolean
  isTierNew: boolean
}

interface Settlement {
  status: keyof typeof PREVIOUS_STATUSES
  subscriptionRef: string | null
  from: readonly CheckoutStatus[]
  now: number
}

/**
 * Stores the outcome of a checkout's payment, and changes the plan with it: a payment moves an account from the free plan to
 * the checkout's, and the end of the subscription moves it back unless another checkout still pays. The account is locked:
 * of concurrent callers with one outcome, one changes something.
 */
export function settleCheckout(
  db: Db,
  { owner_id, checkout_id }: CheckoutNames,
  { status, subscriptionRef, from, now }: Settlement,
): Promise<Settled> {
  return inTransaction(db, async (tx) => {
    const { tier, paid_by } = await lockOwner(tx, owner_id)
    const isThis = matching('checkouts', { owner_id, checkout_id })
    const found = tx.selectFrom('checkouts').select(['status', 'tier']).where(isThis)
    const checkout = await found.executeTakeFirstOrThrow()
    if (!from.includes(checkout.status)) return { status: checkout.status, tier, isNew: false, isTierNew: false }
    const times = { paid: { paid_at: now }, expired: {}, ended: { ended_at: now } }
    const changes = { status, subscription_ref: subscriptionRef, ...times[status] }
    await tx.updateTable('checkouts').set(changes).where(isThis).execute()
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
  const other = await firstRow(checkouts(tx, { owner_id: ownerId, status: 'paid' }).orderBy('paid_at', 'desc').limit(1))
  if (!other) return false
  await tx.updateTable('owners').set({ paid_by: other.checkout_id }).where('owner_id', '=', ownerId).execute()
  return true
}

/** The account's quota buckets by name, as the time at which each is full again. A bucket that was never used is absent. */
export async function readAllowances(db: Db, ownerId: string): Promise<Map<string, number>> {
  const rows = await db.selectFrom('allowances').select(['bucket', 'full_at']).where('owner_id', '=', ownerId).execute()
  return new Map(rows.map((row) => [row.bucket, row.full_at]))
}
