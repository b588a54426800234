import Stripe from 'stripe'
import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { Order, PaymentEvent, PaymentState, Payments } from './payments.ts'

export interface StripeSettings {
  secretKey: Secret
  /** Null: Stripe's events are not accepted. */
  webhookSecret: Secret | null
  /** In place of Stripe's own address, such as a proxy's. */
  apiUrl: string | null
}

interface StripeContext {
  clock: Clock
  /** The time limit of each try of a request. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const RETRIES = 2
const SIGNATURE_TOLERANCE_SECONDS = 300

/** Payments through Stripe's hosted checkout: a monthly subscription at the plan's own price. */
export function stripePayments(settings: StripeSettings, { clock, timeoutMs = TIMEOUT_MS }: StripeContext): Payments {
  const stripe = new Stripe(settings.secretKey.reveal(), {
    ...addressOf(settings.apiUrl),
    timeout: timeoutMs,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })
  const { webhookSecret } = settings
  return {
    provider: 'stripe',
    async open(order) {
      const create = stripe.checkout.sessions.create(sessionOf(order), { idempotencyKey: order.checkoutId })
      const { id, url } = await answerTo(create)
      if (url === null) throw new PaymentError(`Stripe opened the session ${id} without a page`)
      return { ref: id, url }
    },
    check: async ({ ref }) => stateOf(await retrieve(stripe, ref)),
    close: ({ ref }) => close(stripe, ref),
    cancel: (payment) => cancel(stripe, payment),
    webhook: webhookSecret && { read: (message) => readEvent(stripe, message, { webhookSecret, clock }) },
  }
}

/** A fault at Stripe, in words that are safe to log: Stripe's own may quote the request. */
class PaymentError extends Error {
  override name = 'PaymentError'
}

function addressOf(apiUrl: string | null): Stripe.StripeConfig {
  if (apiUrl === null) return {}
  const { protocol, hostname, port } = new URL(apiUrl)
  const isPlain = protocol === 'http:'
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' }
}

function sessionOf({ checkoutId, ownerId, plan, ...order }: Order): Stripe.Checkout.SessionCreateParams {
  const { amount, currency, interval } = plan.price
  if (amount === null) throw new PaymentError(`the ${plan.tier} plan has no price to charge`)
  const metadata = { checkoutId, ownerId }
  return {
    mode: 'subscription',
    // Ways to pay that take days would let the payer pay a second checkout meanwhile.
    allowed_payment_method_types: ['card'],
    client_reference_id: ownerId,
    customer_email: order.email,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: amount,
          recurring: { interval },
          product_data: { name: `${plan.name} plan` },
        },
      },
    ],
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    expires_at: Math.floor(order.expiresAt / 1000),
    metadata,
    // The event that ends a subscription holds the subscription's metadata alone.
    subscription_data: { metadata },
  }
}

function retrieve(stripe: Stripe, ref: string): Promise<Stripe.Checkout.Session> {
  return answerTo(stripe.checkout.sessions.retrieve(ref, { expand: ['subscription'] }))
}

async function close(stripe: Stripe, ref: string): Promise<PaymentState> {
  const state = stateOf(await retrieve(stripe, ref))
  if (state.status !== 'pending') return state
  try {
    return stateOf(await answerTo(stripe.checkout.sessions.expire(ref)))
  } catch (error) {
    // Where it was paid in between, there is nothing to close.
    const session = await retrieve(stripe, ref)
    if (session.status === 'open') throw error
    return stateOf(session)
  }
}

async function cancel(
  stripe: Stripe,
  { ref, subscriptionRef }: { ref: string; subscriptionRef: string | null },
): Promise<PaymentState> {
  const state = stateOf(await retrieve(stripe, ref))
  const named = state.subscriptionRef ?? subscriptionRef
  if (state.status === 'ended' || named === null) return { status: 'ended', subscriptionRef: named }
  const { status } = await answerTo(stripe.subscriptions.cancel(named))
  if (!OVER.has(status)) throw new PaymentError(`Stripe left the subscription ${named} ${status}`)
  return { status: 'ended', subscriptionRef: named }
}

const OVER = new Set(['canceled', 'incomplete_expired'])

function stateOf({ status, payment_status, subscription }: Stripe.Checkout.Session): PaymentState {
  if (payment_status === 'paid') {
    const isOver = subscription !== null && typeof subscription === 'object' && OVER.has(subscription.status)
    const subscriptionRef = typeof subscription === 'string' ? subscription : (subscription?.id ?? null)
    return { status: isOver ? 'ended' : 'paid', subscriptionRef }
  }
  return { status: status === 'expired' ? 'expired' : 'pending' }
}

async function answerTo<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw new PaymentError(loggable(error))
  }
}

function loggable(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return 'Stripe could not be asked'
  const { type, code, statusCode, requestId } = error
  const facts = { code, status: statusCode, request: requestId, reason: networkCode(error.detail) }
  const known = Object.entries(facts).flatMap(([name, fact]) => (fact === undefined ? [] : [`${name} ${fact}`]))
  return `Stripe could not be asked: ${[type, ...known].join(', ')}`
}

function networkCode(detail: unknown): string | undefined {
  return detail instanceof Error && 'code' in detail && typeof detail.code === 'string' ? detail.code : undefined
}

function readEvent(
  { webhooks }: Stripe,
  { body, signature }: { body: Uint8Array; signature: string },
  { webhookSecret, clock }: { webhookSecret: Secret; clock: Clock },
): PaymentEvent | 'other' | null {
  const [secret, tolerance] = [webhookSecret.reveal(), SIGNATURE_TOLERANCE_SECONDS]
  try {
    return toEvent(webhooks.constructEvent(body, signature, secret, tolerance, undefined, clock.now()))
  } catch (error) {
    if (error instanceof z.ZodError)
      throw new PaymentError(`Stripe sent an event in a form that is not known: ${error.message}`)
    return null
  }
}

const Session = z.object({
  id: z.string(),
  payment_status: z.string(),
  subscription: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish(),
})
const Subscription = z.object({ id: z.string(), metadata: z.object({ checkoutId: z.string().optional() }).nullish() })
const inEvent = <S extends z.ZodType>(object: S) => z.object({ data: z.object({ object }) })
const Named = z.object({ type: z.string() })

// An account may send every type of event, in the form of any API version: only what is acted on is parsed.
function toEvent(event: unknown): PaymentEvent | 'other' {
  switch (Named.safeParse(event).data?.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const { id, payment_status, subscription = null } = inEvent(Session).parse(event).data.object
      // Some ways to pay take days: the second of the two events comes once the money has.
      if (payment_status !== 'paid') return 'other'
      return { payment: { ref: id }, state: { status: 'paid', subscriptionRef: subscription } }
    }
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed':
      return { payment: { ref: inEvent(Session).parse(event).data.object.id }, state: { status: 'expired' } }
    case 'customer.subscription.deleted': {
      const { id: subscriptionRef, metadata } = inEvent(Subscription).parse(event).data.object
      const checkoutId = metadata?.checkoutId ?? null
      return { payment: { subscriptionRef, checkoutId }, state: { status: 'ended', subscriptionRef } }
    }
    default:
      return 'other'
  }
}
