import type { Plan } from '@svc/contract'

/** Where a payment is made: a provider, or its stand-in. Nothing else says that a checkout was paid. */
export interface Payments {
  readonly provider: 'stripe' | 'test'
  /** Opens a page on which a person can pay. Repeating an order opens no second one. */
  open(order: Order): Promise<OpenedPayment>
  /** What the provider knows of a payment. */
  check(payment: { ref: string; expiresAt: number }): Promise<PaymentState>
  /** Sees to it that a payment which was not made cannot be made any more, and says where it stands then. */
  close(payment: { ref: string; expiresAt: number }): Promise<PaymentState>
  /** Null where the provider sends nothing. */
  readonly webhook: Webhook | null
}

export interface Webhook {
  /** What the provider says in a message of its own, or null when it is not the provider who says it. */
  read(message: { body: Uint8Array; signature: string }): PaymentEvent | null
}

export interface Order {
  checkoutId: string
  ownerId: string
  email: string
  plan: Plan
  successUrl: string
  cancelUrl: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** `ref` is the provider's name for the payment. */
export interface OpenedPayment {
  ref: string
  url: string
}

/** `ended`: paid once, and the subscription that it paid for is over. */
export type PaymentState =
  | { status: 'pending' | 'expired' }
  | { status: 'paid' | 'ended'; subscriptionRef: string | null }

export type PaymentEvent =
  | { type: 'paid'; ref: string; subscriptionRef: string | null }
  | { type: 'expired'; ref: string }
  /** `checkoutId` is what the subscription was opened with; null where it is not one of ours. */
  | { type: 'ended'; subscriptionRef: string; checkoutId: string | null }
  /** Nothing that matters here. */
  | { type: 'other' }
