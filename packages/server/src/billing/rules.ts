import type { Tier } from '@svc/contract'

/** How long a checkout can be paid: within what every payment provider allows. */
export const CHECKOUT_MS = 60 * 60_000

/** Where a checkout stands. `ended`: it was paid once, and what it paid for is over. */
export type CheckoutStatus = 'pending' | 'paid' | 'expired' | 'ended'

/** Why an account on this plan cannot check out, or null when it can. */
export function checkoutProblem(tier: Tier): string | null {
  if (tier === 'free') return null
  if (tier === 'pro') return 'is the plan that this account is on already.'
  return 'is a smaller plan than this account’s, which is enterprise: there is nothing to upgrade.'
}

/** Where the payer comes back to: the owner's address, told which checkout it was. */
export function returnAddress(address: string, checkoutId: string): string {
  const url = new URL(address)
  url.searchParams.set('checkoutId', checkoutId)
  return url.href
}
