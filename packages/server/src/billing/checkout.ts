import type { Checkout, CheckoutRequest, Tier, VerifiedCheckout } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Deps } from '../deps.ts'
import { afterCommit, invalidField, limited, notFound } from '../errors.ts'
import { KeyedSemaphore, SemaphoreFullError } from '../lib/keyed-semaphore.ts'
import type { Order, Payments } from './payments/payments.ts'
import { planOf } from './plans.ts'
import { CHECKOUT_MS, type CheckoutStatus, checkoutProblem, returnAddress } from './rules.ts'
import { settlePayment } from './settle-payment.ts'
import {
  type CheckoutView,
  findCheckout,
  insertCheckout,
  listPending,
  type NewCheckout,
  type Standing,
} from './store.ts'

type CheckoutDeps = Pick<Deps, 'db' | 'clock' | 'payments' | 'logger' | 'paymentCalls'>
type ProviderDeps = Omit<CheckoutDeps, 'payments' | 'paymentCalls'> & { payments: Payments }

/** Bounds the requests that wait for the payment provider, by owner: none of them queues. */
export function createPaymentCalls(): KeyedSemaphore {
  return new KeyedSemaphore({ permits: 256, permitsPerKey: 32, waiting: 0, waitingPerKey: 0 })
}

/**
 * Opens a page on which the account's upgrade can be paid, in place of any that was opened before, so that nobody pays
 * twice. Throws 400 on `tier` where there is nothing to upgrade, or no provider to pay.
 */
export async function startCheckout(
  deps: CheckoutDeps & Pick<Deps, 'newId' | 'room'>,
  owner: Owner,
  request: CheckoutRequest,
): Promise<Checkout> {
  deps.room.require()
  refuseUnlessFree(owner.tier)
  const { payments } = deps
  if (!payments) throw invalidField('tier', NO_PROVIDER)
  // One permit for the whole checkout: nothing of it is refused once something of it was done.
  return askProvider(deps, owner, () => open({ ...deps, payments }, owner, request))
}

const NO_PROVIDER =
  'cannot be paid for: no payment provider is configured on this server. Ask its operator to change the plan.'

async function askProvider<T>(deps: CheckoutDeps, owner: Owner, work: () => Promise<T>): Promise<T> {
  try {
    return await deps.paymentCalls.run(owner.ownerId, work)
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error
    throw limited('Too many payments are being asked about. Try again in a moment.', 1_000)
  }
}

async function open(
  deps: ProviderDeps & Pick<Deps, 'newId'>,
  owner: Owner,
  request: CheckoutRequest,
): Promise<Checkout> {
  await requireFewOpen(deps, owner)
  const order = orderOf(deps, owner, request)
  // Where this is not written down, nobody learns the page's address: as good as none, and the caller may ask again.
  const { ref, url } = await deps.payments.open(order)
  const row = newRow(deps, order, ref)
  const { checkout, others } = await insertCheckout(deps.db, row)
  await afterCommit(closeOthers(deps, checkout, others))
  return { checkoutId: order.checkoutId, url, provider: deps.payments.provider }
}

// Each checkout closes the others. Where that failed again and again, it is done first, and no more are opened.
async function requireFewOpen(deps: ProviderDeps, { ownerId }: Owner): Promise<void> {
  const open = await listPending(deps.db, ownerId)
  if (open.length < OPEN_AT_MOST) return
  for (const checkout of open) refuseUnlessFree((await close(deps, checkout))?.tier ?? 'free')
  if ((await listPending(deps.db, ownerId)).length >= OPEN_AT_MOST) throw limited(TOO_MANY_OPEN, 60_000)
}

const OPEN_AT_MOST = 10
const TOO_MANY_OPEN = 'Ten checkouts of this account are open, and cannot be closed just now. Try again in a minute.'

/** What the payment provider says of a checkout. Throws 404 for somebody else's, or none. */
export async function verifyCheckout(deps: CheckoutDeps, owner: Owner, checkoutId: string): Promise<VerifiedCheckout> {
  const found = await requireStanding(deps, owner, checkoutId)
  const isSettled = found.status === 'paid' || found.status === 'ended'
  const settled = isSettled ? found : await askProvider(deps, owner, () => ask(deps, found.checkout))
  // The provider's own message may have come while it was asked.
  const { status, tier } = settled ?? (await requireStanding(deps, owner, checkoutId))
  return { checkoutId, status: SHOWN_AS[status], tier }
}

const SHOWN_AS: Readonly<Record<CheckoutStatus, VerifiedCheckout['status']>> = {
  pending: 'pending',
  paid: 'paid',
  expired: 'expired',
  ended: 'paid',
}

async function requireStanding(
  deps: Pick<Deps, 'db'>,
  owner: Owner,
  checkoutId: string,
): Promise<Standing & { checkout: CheckoutView }> {
  const checkout = await findCheckout(deps.db, owner.ownerId, checkoutId)
  if (!checkout) throw notFound('The checkout')
  return { status: checkout.status, tier: checkout.owner_tier, checkout }
}

function refuseUnlessFree(tier: Tier): void {
  const problem = checkoutProblem(tier)
  if (problem) throw invalidField('tier', problem)
}

function orderOf(deps: Pick<Deps, 'clock' | 'newId'>, owner: Owner, request: CheckoutRequest): Order {
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

function newRow(deps: Pick<ProviderDeps, 'clock' | 'payments'>, order: Order, ref: string): NewCheckout {
  return {
    owner_id: order.ownerId,
    checkout_id: order.checkoutId,
    tier: order.plan.tier,
    provider: deps.payments.provider,
    provider_ref: ref,
    status: 'pending',
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    created_at: deps.clock.now(),
    expires_at: order.expiresAt,
  }
}

// One of the others may turn out to have been paid a moment ago: then this one must not be paid as well.
async function closeOthers(deps: ProviderDeps, checkout: CheckoutView, others: readonly CheckoutView[]): Promise<void> {
  let tier = checkout.owner_tier
  for (const other of others) tier = (await close(deps, other))?.tier ?? tier
  if (tier === 'free') return
  await close(deps, checkout)
  refuseUnlessFree(tier)
}

async function close(deps: ProviderDeps, checkout: CheckoutView): Promise<Standing | null> {
  const state = isAskable(deps, checkout) ? await deps.payments.close(paymentOf(checkout)) : EXPIRED
  return settlePayment(deps, checkout, state)
}

async function ask(deps: Omit<CheckoutDeps, 'paymentCalls'>, checkout: CheckoutView): Promise<Standing | null> {
  const { payments } = deps
  if (payments && isAskable({ payments }, checkout))
    return settlePayment(deps, checkout, await payments.check(paymentOf(checkout)))
  return deps.clock.now() >= checkout.expires_at ? settlePayment(deps, checkout, EXPIRED) : null
}

const EXPIRED = { status: 'expired' } as const

// The service may have been given another provider since.
function isAskable({ payments }: Pick<ProviderDeps, 'payments'>, checkout: CheckoutView): boolean {
  return checkout.provider === payments.provider
}

function paymentOf(checkout: CheckoutView): { ref: string; expiresAt: number } {
  return { ref: checkout.provider_ref, expiresAt: checkout.expires_at }
}
