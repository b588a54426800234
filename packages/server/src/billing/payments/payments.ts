import type { Plan } from '@svc/contract'

/** The port to a payment provider, which alone decides whether a checkout was paid. */
export interface Payments {
  readonly provider: 'stripe' | 'test'
  /** Opens a payment page. Repeating an order opens no second one. */
  open(order: Order): Promise<{ ref: string; url: string }>
  check(payment: Payment): Promise<PaymentState>
  /** Makes sure that an open payment can no longer be made, and returns its state by then. */
  close(payment: Payment): Promise<PaymentState>
  /** Ends the subscription of a paid checkout at once, and returns its state by then. Repeating it changes nothing. */
  cancel(payment: Payment & { subscriptionRef: string | null }): Promise<PaymentState>
  /** Null where the provider sends no events. */
  readonly webhook: Webhook | null
}

export interface Webhook {
  /** Reads an event: null where the provider did not sign it, `other` where it concerns no payment of this service. */
  read(message: { body: Uint8Array; signature: string }): PaymentEvent | 'other' | null
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

export interface Payment {
  /** The provider's name for the payment. */
  ref: string
  expiresAt: number
}

/** `ended`: it was paid, and the subscription that it paid for is over. */
export interface PaymentState {
  status: 'pending' | 'expired' | 'paid' | 'ended'
  /** The provider's name for the subscription of a paid checkout; absent where there is none. */
  subscriptionRef?: string | null
}

export interface PaymentEvent {
  /** `checkoutId` is the one that the subscription was opened with; null where it is of no checkout of ours. */
  payment: { ref: string } | { subscriptionRef: string; checkoutId: string | null }
  state: PaymentState
}
