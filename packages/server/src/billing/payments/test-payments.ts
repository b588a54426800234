import type { Clock } from '../../lib/clock.ts'
import type { Payments } from './payments.ts'

const TEST_CHECKOUT_PATH = '/v1/billing/test-checkout'

/**
 * A stand-in for a payment provider, for development: no money moves. Its page confirms a checkout in the database, so all
 * that it knows is whether the checkout has expired.
 */
export function testPayments({ baseUrl, clock }: { baseUrl: () => string; clock: Clock }): Payments {
  return {
    provider: 'test',
    webhook: null,
    open: async ({ checkoutId }) => ({ ref: checkoutId, url: `${baseUrl()}${TEST_CHECKOUT_PATH}/${checkoutId}` }),
    check: async ({ expiresAt }) => ({ status: clock.now() < expiresAt ? 'pending' : 'expired' }),
    close: async () => ({ status: 'expired' }),
    cancel: async () => ({ status: 'ended' }),
  }
}
