import type { Clock } from '../../lib/clock.ts'
import type { Payments } from './payments.ts'

const TEST_CHECKOUT_PATH = '/v1/billing/test-checkout'

/**
 * Stands in for a payment provider, for development: no money moves. Its page confirms a checkout in the database, so
 * what it can be asked is only whether there still is time.
 */
export function testPayments(context: { baseUrl: () => string; clock: Clock }): Payments {
  return {
    provider: 'test',
    webhook: null,
    async open({ checkoutId }) {
      return { ref: checkoutId, url: `${context.baseUrl()}${TEST_CHECKOUT_PATH}/${checkoutId}` }
    },
    async check({ expiresAt }) {
      return { status: context.clock.now() < expiresAt ? 'pending' : 'expired' }
    },
    async close() {
      return { status: 'expired' }
    },
  }
}
