import type { Clock } from '../../lib/clock.ts'
import type { Payments } from './payments.ts'
import type { StripeSettings } from './stripe-payments.ts'
import { testPayments } from './test-payments.ts'

/** The configured payment provider, else the labelled test provider where that is allowed, else null. */
export async function openPayments(
  config: { stripe: StripeSettings | null; testPayments: boolean },
  context: { baseUrl: () => string; clock: Clock },
): Promise<Payments | null> {
  if (config.stripe === null) return config.testPayments ? testPayments(context) : null
  // Stripe's library takes its memory and its time to load only where it is used.
  const { stripePayments } = await import('./stripe-payments.ts')
  return stripePayments(config.stripe, context)
}
