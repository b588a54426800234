import type { Tier } from '@svc/contract'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { changeTier } from '../accounts/store.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import type { CheckoutStatus } from './rules.ts'

export type NewCheckout = Insertable<Schema['checkouts']>
type CheckoutRow = Selectable<Schema['checkouts']>
type Provider = Schema['checkouts']['provider']
type CheckoutKey = Pick<CheckoutRow, 'owner_id' | 'checkout_id'>

/** Where a checkout stands, and the tier that its owner has by then. */
export interface Standing {
  status: CheckoutStatus
  tier: Tier
}

/** A checkout and the tier that its owner has. */
export interface CheckoutView extends CheckoutRow {
  owner_tier: Tier
}

/** One checkout of this owner, or null. */
export async function findCheckout(
  db: Kysely<Schema>,
  ownerId: string,
  checkoutId: string,
): Promise<CheckoutView | null> {
  const row = await checkouts(db)
    .where('checkouts.owner_id', '=', ownerId)
    .where('checkouts.checkout_id', '=', checkoutId)
    .executeTakeFirst()
  return row ?? null
}

/** The checkout of this payment whoever its owner is, or null: for the provider, who knows payments and no owners. */
export async function findByPayment(db: Kysely<Schema>, provider: Provider, ref: string): Promise<CheckoutView | null> {
  const row = await checkouts(db).where('provider', '=', provider).where('provider_ref', '=', ref).executeTakeFirst()
  return row ?? null
}

/**
 * The checkout that a subscription came from, or null. One whose payment has not been heard of yet does not know its
 * subscription, and is found by the id that the subscription was opened with.
 */
export async function findBySubscription(
  db: Kysely<Schema>,
  provider: Provider,
  { subscriptionRef, checkoutId }: { subscriptionRef: string; checkoutId: string | null },
): Promise<CheckoutView | null> {
  const ofProvider = checkouts(db).where('provider', '=', provider)
  const known = await ofProvider.where('subscription_ref', '=', subscriptionRef).executeTakeFirst()
  if (known || checkoutId === null) return known ?? null
  const opened = await ofProvider
    .where('checkout_id', '=', checkoutId)
    .where('subscription_ref', 'is', null)
    .executeTakeFirst()
  return opened ?? null
}

/** The checkouts of this owner that can still be paid. */
export function listPending(db: Kysely<Schema>, ownerId: string): Promise<CheckoutView[]> {
  return checkouts(db).where('checkouts.owner_id', '=', ownerId).where('checkouts.status', '=', 'pending').execute()
}

/**
 * Writes a checkout, and returns it with what else of this account can still be paid. The owner's row is locked, so of many
 * at once each sees those before it, and the last one sees them all.
 */
export async function insertCheckout(
  db: Kysely<Schema>,
  checkout: NewCheckout,
): Promise<{ checkout: CheckoutView; others: CheckoutView[] }> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, checkout.owner_id)
    await deleteExpired(tx, checkout.owner_id)
    await tx.insertInto('checkouts').values(checkout).execute()
    const { checkout_id } = checkout
    return {
      checkout: await checkouts(tx)
        .where('checkouts.owner_id', '=', checkout.owner_id)
        .where('checkouts.checkout_id', '=', checkout_id)
        .executeTakeFirstOrThrow(),
      others: (await listPending(tx, checkout.owner_id)).filter((other) => other.checkout_id !== checkout_id),
    }
  })
}

// Nothing can become of them any more, and an owner may open any number.
async function deleteExpired(tx: Tx, ownerId: string): Promise<void> {
  const shown = tx
    .selectFrom('checkouts')
    .select('checkout_id')
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'expired')
    .orderBy('created_at', 'desc')
    .orderBy('checkout_id', 'desc')
    .limit(EXPIRED_KEPT)
  await tx
    .deleteFrom('checkouts')
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'expired')
    .where('checkout_id', 'not in', shown)
    .execute()
}

const EXPIRED_KEPT = 20

/**
 * Notes that a checkout was paid and gives its owner the tier. Once: from any number at a time, one finds it unpaid.
 * An account that has left the free plan meanwhile keeps the plan that it has. `isNew` is false where nothing changed.
 * `from` says where a checkout may stand that can still be paid.
 */
export async function markPaid(
  db: Kysely<Schema>,
  key: CheckoutKey,
  payment: { subscriptionRef: string | null; from: readonly CheckoutStatus[]; now: number },
): Promise<Standing & { isNew: boolean; isUpgrade: boolean }> {
  return inTransaction(db, async (tx) => {
    const { tier } = await lockOwner(tx, key.owner_id)
    const checkout = await readCheckout(tx, key)
    if (!payment.from.includes(checkout.status)) {
      return { status: checkout.status, tier, isNew: false, isUpgrade: false }
    }
    await update(tx, key, { status: 'paid', subscription_ref: payment.subscriptionRef, paid_at: payment.now })
    if (tier !== 'free') return { status: 'paid', tier, isNew: true, isUpgrade: false }
    await changeTier(tx, { ownerId: key.owner_id, tier: checkout.tier, paidBy: key.checkout_id, now: payment.now })
    return { status: 'paid', tier: checkout.tier, isNew: true, isUpgrade: true }
  })
}

/** Notes that a checkout can no longer be paid; leaves alone what is no longer pending. */
export async function markExpired(db: Kysely<Schema>, key: CheckoutKey): Promise<Standing> {
  return inTransaction(db, async (tx) => {
    const { tier } = await lockOwner(tx, key.owner_id)
    const { status } = await readCheckout(tx, key)
    if (status !== 'pending') return { status, tier }
    await update(tx, key, { status: 'expired' })
    return { status: 'expired', tier }
  })
}

/**
 * Notes that what a checkout paid for is over, whether or not its payment was heard of before. The account goes back to the
 * free plan if this checkout gave it the plan that it has and no other one still pays for it. Returns the account's tier.
 */
export async function markEnded(
  db: Kysely<Schema>,
  key: CheckoutKey,
  { subscriptionRef, now }: { subscriptionRef: string | null; now: number },
): Promise<{ tier: Tier; isDowngrade: boolean }> {
  return inTransaction(db, async (tx) => {
    const { tier, paid_by } = await lockOwner(tx, key.owner_id)
    const { status } = await readCheckout(tx, key)
    if (status === 'ended') return { tier, isDowngrade: false }
    await update(tx, key, { status: 'ended', subscription_ref: subscriptionRef, ended_at: now })
    if (paid_by !== key.checkout_id) return { tier, isDowngrade: false }
    const other = await tx
      .selectFrom('checkouts')
      .select('checkout_id')
      .where('owner_id', '=', key.owner_id)
      .where('status', '=', 'paid')
      .orderBy('paid_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (other) {
      await tx.updateTable('owners').set({ paid_by: other.checkout_id }).where('owner_id', '=', key.owner_id).execute()
      return { tier, isDowngrade: false }
    }
    await changeTier(tx, { ownerId: key.owner_id, tier: 'free', paidBy: null, now })
    return { tier: 'free', isDowngrade: true }
  })
}

function checkouts(db: Kysely<Schema>) {
  return db
    .selectFrom('checkouts')
    .innerJoin('owners', 'owners.owner_id', 'checkouts.owner_id')
    .selectAll('checkouts')
    .select('owners.tier as owner_tier')
}

// Always first: whatever changes an account's tier or checkouts waits here for its turn.
function lockOwner(tx: Tx, ownerId: string) {
  return tx
    .selectFrom('owners')
    .select(['tier', 'paid_by'])
    .where('owner_id', '=', ownerId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

function readCheckout(tx: Tx, { owner_id, checkout_id }: CheckoutKey) {
  return tx
    .selectFrom('checkouts')
    .select(['status', 'tier'])
    .where('owner_id', '=', owner_id)
    .where('checkout_id', '=', checkout_id)
    .executeTakeFirstOrThrow()
}

async function update(tx: Tx, key: CheckoutKey, changes: Partial<Omit<CheckoutRow, keyof CheckoutKey>>): Promise<void> {
  await tx
    .updateTable('checkouts')
    .set(changes)
    .where('owner_id', '=', key.owner_id)
    .where('checkout_id', '=', key.checkout_id)
    .execute()
}
