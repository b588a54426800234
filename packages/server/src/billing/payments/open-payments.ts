import type { Clock } from '../../clock.ts'
import type { Payments } from './payments.ts'
import type { StripeSettings } from './stripe-payments.ts'
import { testPayments } from './test-payments.ts'

/** The configured payment provider, and the labelled stand-in where none is. */
export async function openPayments(
  settings: StripeSettings | null,
  context: { baseUrl: () => string; clock: Clock },
): Promise<Payments> {
  if (settings === null) return testPayments(context)
  // Stripe's library takes its memory and its time to load only where it is used.
  const { stripePayments } = await import('./stripe-payments.ts')
  return stripePayments(settings, context)
}
