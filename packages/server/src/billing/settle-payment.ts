import type { Deps } from '../deps.ts'
import { invalidField } from '../errors.ts'
import type { PaymentEvent, PaymentState, Payments, Webhook } from './payments/payments.ts'
import type { CheckoutStatus } from './rules.ts'
import {
  type CheckoutView,
  findByPayment,
  findBySubscription,
  markEnded,
  markExpired,
  markPaid,
  type Standing,
} from './store.ts'

type SettleDeps = Pick<Deps, 'db' | 'clock' | 'logger'>

/** Where messages of the payment provider come from. */
export interface PaymentSource {
  provider: Payments['provider']
  webhook: Webhook
}

/**
 * Acts on what the payment provider said of a checkout. Saying it again changes nothing. Returns where the checkout stands
 * then, or null where there was nothing to do.
 */
export async function settlePayment(
  deps: SettleDeps,
  checkout: CheckoutView,
  state: PaymentState,
): Promise<Standing | null> {
  switch (state.status) {
    case 'pending':
      return null
    case 'expired':
      return markExpired(deps.db, checkout)
    case 'ended':
      return notePayEnd(deps, checkout, state.subscriptionRef)
    case 'paid':
      // Of one that was replaced, the provider may still have taken the money: then it was paid.
      return notePayment(deps, checkout, { subscriptionRef: state.subscriptionRef, from: ['pending', 'expired'] })
  }
}

/** Takes a message of the provider's own. Throws 400 where it is not the provider's. */
export async function receivePaymentEvent(
  deps: SettleDeps,
  { provider, webhook }: PaymentSource,
  message: { body: Uint8Array; signature: string },
): Promise<void> {
  const event = webhook.read(message)
  if (!event) throw invalidField('stripe-signature', 'does not sign this body, or not within the last five minutes.')
  if (event.type === 'other') return
  const checkout = await checkoutOf(deps, provider, event)
  // An account of the provider's may serve others than us.
  if (checkout) await settlePayment(deps, checkout, stateIn(event))
}

/** Notes a payment, and returns where the checkout stands then: as before, where it was not in one of the `from` states. */
export async function notePayment(
  deps: SettleDeps,
  checkout: CheckoutView,
  payment: { subscriptionRef: string | null; from: readonly CheckoutStatus[] },
): Promise<Standing> {
  const paid = await markPaid(deps.db, checkout, { ...payment, now: deps.clock.now() })
  if (paid.isUpgrade) deps.logger.info(namesOf(checkout), `paid: the account is now ${paid.tier}`)
  else if (paid.isNew) deps.logger.warn(namesOf(checkout), `paid by an account that was ${paid.tier} already`)
  return paid
}

async function notePayEnd(deps: SettleDeps, checkout: CheckoutView, subscriptionRef: string | null): Promise<Standing> {
  const ended = await markEnded(deps.db, checkout, { subscriptionRef, now: deps.clock.now() })
  if (ended.isDowngrade) deps.logger.info(namesOf(checkout), `the subscription is over: the account is ${ended.tier}`)
  return { status: 'ended', tier: ended.tier }
}

function checkoutOf(
  deps: SettleDeps,
  provider: PaymentSource['provider'],
  event: Exclude<PaymentEvent, { type: 'other' }>,
): Promise<CheckoutView | null> {
  return event.type === 'ended'
    ? findBySubscription(deps.db, provider, event)
    : findByPayment(deps.db, provider, event.ref)
}

function stateIn(event: Exclude<PaymentEvent, { type: 'other' }>): PaymentState {
  if (event.type === 'expired') return { status: 'expired' }
  return { status: event.type, subscriptionRef: event.subscriptionRef }
}

function namesOf({ owner_id, checkout_id, provider, provider_ref }: CheckoutView) {
  return { ownerId: owner_id, checkoutId: checkout_id, provider, payment: provider_ref }
}
