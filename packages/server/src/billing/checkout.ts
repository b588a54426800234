import type { Checkout, CheckoutRequest, Tier, VerifiedCheckout } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { afterCommit, invalidField, limited, notFound } from '../errors.ts'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import type { BillingDeps } from './deps.ts'
import type { Payment, PaymentState, Payments } from './payments/payments.ts'
import { planOf } from './plans.ts'
import { CHECKOUT_MS, checkoutProblem, returnAddress } from './rules.ts'
import { settlePayment } from './settle-payment.ts'
import { type CheckoutOutcome, type CheckoutView, findCheckout, insertCheckout, listByStatus } from './store.ts'

type ProviderDeps = BillingDeps & { payments: Payments }

const MAX_OPEN = 10
const TOO_MANY_OPEN = 'Ten checkouts of this account are open, and cannot be closed just now. Try again in a minute.'
const TOO_MANY_CALLS = 'Too many payments are being asked about. Try again in a moment.'
const NO_PROVIDER =
  'cannot be paid for: no payment provider is configured on this server. Ask its operator to change the plan.'

/** Bounds the concurrent requests to the payment provider, by owner. None of them queues. */
export function createPaymentCalls(): KeyedSemaphore {
  const limits = { permits: 256, permitsPerKey: 32, waiting: 0, waitingPerKey: 0 }
  return new KeyedSemaphore(limits, { refusal: () => limited(TOO_MANY_CALLS, 1_000) })
}

/**
 * Opens a page on which the account's upgrade can be paid, in place of any that was opened before, so that nobody pays
 * twice. Throws 400 on `tier` where there is nothing to upgrade, or no provider to pay.
 */
export async function startCheckout(deps: BillingDeps, owner: Owner, request: CheckoutRequest): Promise<Checkout> {
  deps.diskSpace.require()
  requireFree(owner.tier)
  const { payments } = deps
  if (!payments) throw invalidField('tier', NO_PROVIDER)
  // One permit for the checkout as a whole: once a part of it is done, nothing of it is refused.
  return deps.paymentCalls.run(owner.ownerId, () => open({ ...deps, payments }, owner, request))
}

async function open(deps: ProviderDeps, { ownerId, email }: Owner, request: CheckoutRequest): Promise<Checkout> {
  await requireFewOpen(deps, ownerId)
  const { tier } = request
  const { provider } = deps.payments
  const checkoutId = deps.newId('checkout')
  const successUrl = returnAddress(request.successUrl, checkoutId)
  const cancelUrl = returnAddress(request.cancelUrl, checkoutId)
  const expiresAt = deps.clock.now() + CHECKOUT_MS
  const order = { checkoutId, ownerId, email, plan: planOf(tier), successUrl, cancelUrl, expiresAt }
  // Where the insert fails, nobody learns the page's address, and the caller may try again.
  const { ref, url } = await deps.payments.open(order)
  const pending = await insertCheckout(deps.db, {
    owner_id: ownerId,
    checkout_id: checkoutId,
    tier,
    provider,
    provider_ref: ref,
    status: 'pending',
    success_url: successUrl,
    cancel_url: cancelUrl,
    created_at: deps.clock.now(),
    expires_at: expiresAt,
  })
  await afterCommit(closeOthers(deps, checkoutId, pending))
  return { checkoutId, url, provider }
}

// Each checkout closes the others. Where that has failed repeatedly, they are closed first, and no more are opened.
async function requireFewOpen(deps: ProviderDeps, ownerId: string): Promise<void> {
  const pending = await listByStatus(deps.db, ownerId, 'pending')
  if (pending.length < MAX_OPEN) return
  for (const checkout of pending) requireFree((await close(deps, checkout))?.tier ?? 'free')
  if ((await listByStatus(deps.db, ownerId, 'pending')).length >= MAX_OPEN) throw limited(TOO_MANY_OPEN, 60_000)
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
export async function verifyCheckout(deps: BillingDeps, owner: Owner, checkoutId: string): Promise<VerifiedCheckout> {
  const find = async () => {
    const checkout = await findCheckout(deps.db, { owner_id: owner.ownerId, checkout_id: checkoutId })
    if (!checkout) throw notFound('The checkout')
    return { checkout, status: checkout.status, tier: checkout.owner_tier }
  }
  const found = await find()
  const isFinal = found.status === 'paid' || found.status === 'ended'
  // An outcome that was stored is told without another read, which could fail.
  const settled = isFinal ? found : await deps.paymentCalls.run(owner.ownerId, () => check(deps, found.checkout))
  const { status, tier } = settled ?? (await find())
  return { checkoutId, status: status === 'ended' ? 'paid' : status, tier }
}

function requireFree(tier: Tier): void {
  const problem = checkoutProblem(tier)
  if (problem) throw invalidField('tier', problem)
}

const EXPIRED: PaymentState = { status: 'expired' }

/** Sees to it that a checkout can no longer be paid. */
export async function close(deps: BillingDeps, checkout: CheckoutView): Promise<CheckoutOutcome | null> {
  const { payments } = deps
  const payment = paymentAt(payments, checkout)
  return settlePayment(deps, checkout, payments && payment ? await payments.close(payment) : EXPIRED)
}

async function check(deps: BillingDeps, checkout: CheckoutView): Promise<CheckoutOutcome | null> {
  const { payments } = deps
  const payment = paymentAt(payments, checkout)
  if (payments && payment) return settlePayment(deps, checkout, await payments.check(payment))
  return deps.clock.now() >= checkout.expires_at ? settlePayment(deps, checkout, EXPIRED) : null
}

/** Null for a checkout of another provider, which was configured when it was opened. */
export function paymentAt(payments: Payments | null, checkout: CheckoutView): Payment | null {
  const { provider, provider_ref: ref, expires_at: expiresAt } = checkout
  return provider === payments?.provider ? { ref, expiresAt } : null
}
