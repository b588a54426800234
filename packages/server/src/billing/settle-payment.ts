import { invalidField } from '../errors.ts'
import { AccountGoneError } from '../store/errors.ts'
import type { BillingDeps } from './deps.ts'
import type { PaymentState, Payments, Webhook } from './payments/payments.ts'
import { type CheckoutStatus, PREVIOUS_STATUSES } from './rules.ts'
import { type CheckoutNames, type CheckoutOutcome, findCheckout, findCheckoutOf, settleCheckout } from './store.ts'

/** A payment provider that sends events. */
export interface PaymentSource {
  provider: Payments['provider']
  webhook: Webhook
}

/** Acts on an event of the payment provider. Throws 400 where the provider did not sign it. */
export async function receivePaymentEvent(
  deps: BillingDeps,
  { provider, webhook }: PaymentSource,
  message: { body: Uint8Array; signature: string },
): Promise<void> {
  const event = webhook.read(message)
  if (!event) throw invalidField('stripe-signature', 'does not sign this body, or not within the last five minutes.')
  if (event === 'other') return
  const { payment, state } = event
  const checkout =
    'ref' in payment
      ? await findCheckout(deps.db, { provider, provider_ref: payment.ref })
      : await findCheckoutOf(deps.db, { provider, ...payment })
  // The provider's account may serve others than this service.
  if (checkout) await settlePayment(deps, checkout, state)
}

/**
 * Stores the state of a checkout's payment. Repeating it changes nothing. Returns the checkout's status by then, or null
 * where the payment is still pending.
 */
export async function settlePayment(
  { db, clock, logger }: BillingDeps,
  checkout: CheckoutNames,
  { status, subscriptionRef = null }: PaymentState,
  from?: readonly CheckoutStatus[],
): Promise<CheckoutOutcome | null> {
  if (status === 'pending') return null
  const settlement = { status, subscriptionRef, from: from ?? PREVIOUS_STATUSES[status], now: clock.now() }
  const { owner_id: ownerId, checkout_id: checkoutId, provider, provider_ref: payment } = checkout
  const names = { ownerId, checkoutId, provider, payment }
  const settled = await settleCheckout(db, checkout, settlement).catch((error: unknown) => {
    if (!(error instanceof AccountGoneError)) throw error
    logger.warn(names, `a payment of an account that was deleted is ${status}`)
    return null
  })
  if (settled === null) return null
  const { tier, isNew, isTierNew } = settled
  const isPaid = settled.status === 'paid'
  if (isTierNew && isPaid) logger.info(names, `paid: the account is now ${tier}`)
  else if (isTierNew) logger.info(names, `the subscription is over: the account is ${tier}`)
  else if (isNew && isPaid) logger.warn(names, `paid by an account that was ${tier} already`)
  return settled
}
