import type { Tier } from '@svc/contract'

/** How long a checkout can be paid: within what every payment provider allows. */
export const CHECKOUT_MS = 60 * 60_000

/** `ended`: it was paid, and the subscription that it paid for is over. */
export type CheckoutStatus = 'pending' | 'paid' | 'expired' | 'ended'

/** The statuses from which a checkout can change to each status. The provider may have taken the money for a checkout that was replaced. */
export const PREVIOUS_STATUSES = {
  expired: ['pending'],
  paid: ['pending', 'expired'],
  ended: ['pending', 'paid', 'expired'],
} as const satisfies Partial<Record<CheckoutStatus, readonly CheckoutStatus[]>>

/** Why an account on this plan cannot check out, or null when it can. */
export function checkoutProblem(tier: Tier): string | null {
  if (tier === 'free') return null
  if (tier === 'pro') return 'is the plan that this account is on already.'
  return 'is a smaller plan than this account’s, which is enterprise: there is nothing to upgrade.'
}

/** The owner's return address with the id of the checkout in its query. */
export function returnAddress(address: string, checkoutId: string): string {
  const url = new URL(address)
  url.searchParams.set('checkoutId', checkoutId)
  return url.href
}
