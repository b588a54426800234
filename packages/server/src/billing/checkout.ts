import type { Checkout, CheckoutRequest, Tier, VerifiedCheckout } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { afterCommit, invalidField, limited, notFound } from '../errors.ts'
import { KeyedSemaphore, SemaphoreFullError } from '../lib/keyed-semaphore.ts'
import type { BillingDeps } from './deps.ts'
import type { Order, Payment, PaymentState, Payments } from './payments/payments.ts'
import { planOf } from './plans.ts'
import { CHECKOUT_MS, checkoutProblem, returnAddress } from './rules.ts'
import { settlePayment } from './settle-payment.ts'
import {
  type CheckoutView,
  findCheckout,
  insertCheckout,
  listPending,
  type NewCheckout,
  type Standing,
} from './store.ts'

type CheckoutDeps = Pick<BillingDeps, 'db' | 'clock' | 'payments' | 'logger' | 'paymentCalls'>
type ProviderDeps = Omit<CheckoutDeps, 'payments'> & { payments: Payments }

const MAX_OPEN = 10
const TOO_MANY_OPEN = 'Ten checkouts of this account are open, and cannot be closed just now. Try again in a minute.'
const TOO_MANY_CALLS = 'Too many payments are being asked about. Try again in a moment.'
const NO_PROVIDER =
  'cannot be paid for: no payment provider is configured on this server. Ask its operator to change the plan.'

/** Bounds the concurrent requests to the payment provider, by owner. None of them queues. */
export function createPaymentCalls(): KeyedSemaphore {
  return new KeyedSemaphore({ permits: 256, permitsPerKey: 32, waiting: 0, waitingPerKey: 0 })
}

/**
 * Opens a page on which the account's upgrade can be paid, in place of any that was opened before, so that nobody pays
 * twice. Throws 400 on `tier` where there is nothing to upgrade, or no provider to pay.
 */
export async function startCheckout(
  deps: CheckoutDeps & Pick<BillingDeps, 'newId' | 'room'>,
  owner: Owner,
  request: CheckoutRequest,
): Promise<Checkout> {
  deps.room.require()
  requireFree(owner.tier)
  const { payments } = deps
  if (!payments) throw invalidField('tier', NO_PROVIDER)
  // One permit for the checkout as a whole: once a part of it is done, nothing of it is refused.
  return withPermit(deps, owner, () => open({ ...deps, payments }, owner, request))
}

async function withPermit<T>(deps: CheckoutDeps, { ownerId }: Owner, work: () => Promise<T>): Promise<T> {
  try {
    return await deps.paymentCalls.run(ownerId, work)
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error
    throw limited(TOO_MANY_CALLS, 1_000)
  }
}

async function open(
  deps: ProviderDeps & Pick<BillingDeps, 'newId'>,
  owner: Owner,
  request: CheckoutRequest,
): Promise<Checkout> {
  await requireFewOpen(deps, owner)
  const { provider } = deps.payments
  const order = orderOf(deps, owner, request)
  // Where the insert fails, nobody learns the page's address, and the caller may try again.
  const { ref, url } = await deps.payments.open(order)
  const pending = await insertCheckout(deps.db, rowOf(order, { provider, ref, now: deps.clock.now() }))
  await afterCommit(closeOthers(deps, order.checkoutId, pending))
  return { checkoutId: order.checkoutId, url, provider }
}

// Each checkout closes the others. Where that has failed repeatedly, they are closed first, and no more are opened.
async function requireFewOpen(deps: ProviderDeps, { ownerId }: Owner): Promise<void> {
  const pending = await listPending(deps.db, ownerId)
  if (pending.length < MAX_OPEN) return
  for (const checkout of pending) requireFree((await close(deps, checkout))?.tier ?? 'free')
  if ((await listPending(deps.db, ownerId)).length >= MAX_OPEN) throw limited(TOO_MANY_OPEN, 60_000)
}

function orderOf(deps: Pick<BillingDeps, 'clock' | 'newId'>, owner: Owner, request: CheckoutRequest): Order {
  const checkoutId = deps.newId('checkout')
  return {
    checkoutId,
    ownerId: owner.ownerId,
    email: owner.email,
    plan: planOf(request.tier),
    successUrl: returnAddress(request.successUrl, checkoutId),
    cancelUrl: returnAddress(request.cancelUrl, checkoutId),
    expiresAt: deps.clock.now() + CHECKOUT_MS,
  }
}

function rowOf(
  { plan, ...order }: Order,
  { provider, ref, now }: Pick<Payments, 'provider'> & Pick<Payment, 'ref'> & { now: number },
): NewCheckout {
  return {
    owner_id: order.ownerId,
    checkout_id: order.checkoutId,
    tier: plan.tier,
    provider,
    provider_ref: ref,
    status: 'pending',
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    created_at: now,
    expires_at: order.expiresAt,
  }
}

// Where one of the others turns out to be paid, this one is closed too: it must not be paid as well.
async function closeOthers(deps: ProviderDeps, checkoutId: string, pending: readonly CheckoutView[]): Promise<void> {
  let tier = pending[0]?.owner_tier ?? 'free'
  for (const checkout of pending) {
    if (checkout.checkout_id !== checkoutId) tier = (await close(deps, checkout))?.tier ?? tier
  }
  if (tier === 'free') return
  for (const checkout of pending) if (checkout.checkout_id === checkoutId) await close(deps, checkout)
  requireFree(tier)
}

/** What the payment provider says about a checkout. Throws 404 for another account's, or none. */
export async function verifyCheckout(deps: CheckoutDeps, owner: Owner, checkoutId: string): Promise<VerifiedCheckout> {
  const checkout = await requireCheckout(deps, owner, checkoutId)
  const isFinal = checkout.status === 'paid' || checkout.status === 'ended'
  const settled = isFinal ? null : await withPermit(deps, owner, () => check(deps, checkout))
  // An outcome that was stored is told without another read, which could fail.
  const { status, tier } = settled ?? standingOf(isFinal ? checkout : await requireCheckout(deps, owner, checkoutId))
  return { checkoutId, status: status === 'ended' ? 'paid' : status, tier }
}

function standingOf({ status, owner_tier: tier }: CheckoutView): Standing {
  return { status, tier }
}

async function requireCheckout(
  deps: Pick<BillingDeps, 'db'>,
  { ownerId }: Owner,
  checkoutId: string,
): Promise<CheckoutView> {
  const checkout = await findCheckout(deps.db, { owner_id: ownerId, checkout_id: checkoutId })
  if (!checkout) throw notFound('The checkout')
  return checkout
}

function requireFree(tier: Tier): void {
  const problem = checkoutProblem(tier)
  if (problem) throw invalidField('tier', problem)
}

const EXPIRED: PaymentState = { status: 'expired' }

async function close(deps: ProviderDeps, checkout: CheckoutView): Promise<Standing | null> {
  const payment = paymentAt(deps.payments, checkout)
  return settlePayment(deps, checkout, payment ? await deps.payments.close(payment) : EXPIRED)
}

async function check(deps: CheckoutDeps, checkout: CheckoutView): Promise<Standing | null> {
  const { payments } = deps
  const payment = paymentAt(payments, checkout)
  if (payments && payment) return settlePayment(deps, checkout, await payments.check(payment))
  return deps.clock.now() >= checkout.expires_at ? settlePayment(deps, checkout, EXPIRED) : null
}

// Null for a checkout of another provider, which was configured when it was opened.
function paymentAt(
  payments: Payments | null,
  { provider, provider_ref: ref, expires_at }: CheckoutView,
): Payment | null {
  return provider === payments?.provider ? { ref, expiresAt: expires_at } : null
}
