import { invalidField } from '../errors.ts'
import type { BillingDeps } from './deps.ts'
import type { PaymentState, Payments, Webhook } from './payments/payments.ts'
import { type CheckoutStatus, FOLLOWS } from './rules.ts'
import {
  type CheckoutNames,
  findCheckout,
  findCheckoutOf,
  type Settled,
  type Standing,
  settleCheckout,
} from './store.ts'

type SettleDeps = Pick<BillingDeps, 'db' | 'clock' | 'logger'>

/** A payment provider that sends events. */
export interface PaymentSource {
  provider: Payments['provider']
  webhook: Webhook
}

/** Acts on an event of the payment provider. Throws 400 where the provider did not sign it. */
export async function receivePaymentEvent(
  deps: SettleDeps,
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
  deps: SettleDeps,
  checkout: CheckoutNames,
  state: PaymentState,
  from?: readonly CheckoutStatus[],
): Promise<Standing | null> {
  const { status, subscriptionRef = null } = state
  if (status === 'pending') return null
  const settlement = { status, subscriptionRef, from: from ?? FOLLOWS[status], now: deps.clock.now() }
  const settled = await settleCheckout(deps.db, checkout, settlement)
  log(deps, checkout, settled)
  return settled
}

function log({ logger }: SettleDeps, checkout: CheckoutNames, { status, tier, isNew, isTierNew }: Settled): void {
  const { owner_id: ownerId, checkout_id: checkoutId, provider, provider_ref: payment } = checkout
  const names = { ownerId, checkoutId, provider, payment }
  if (isTierNew && status === 'paid') logger.info(names, `paid: the account is now ${tier}`)
  else if (isTierNew) logger.info(names, `the subscription is over: the account is ${tier}`)
  else if (isNew && status === 'paid') logger.warn(names, `paid by an account that was ${tier} already`)
}
