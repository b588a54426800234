import type { Owner } from '../accounts/accounts.ts'
import { forbidden, invalidField } from '../errors.ts'
import { close, paymentAt } from './checkout.ts'
import type { BillingDeps } from './deps.ts'
import { settlePayment } from './settle-payment.ts'
import { listByStatus } from './store.ts'

export const SUBSCRIPTION =
  'must be true: a subscription pays for the plan of this account, and is cancelled at once, without a refund.'
const OTHER_PROVIDER =
  'A subscription pays for the plan of this account, and this server cannot cancel it: ask its operator.'

/**
 * Sees to it that nothing more is paid for an account: closes the pages on which it could still pay, and cancels its
 * subscriptions if `cancelSubscription`. Throws 400 where there are any otherwise.
 */
export function endPayments(deps: BillingDeps, { ownerId }: Owner, cancelSubscription: boolean): Promise<void> {
  return deps.paymentCalls.run(ownerId, async () => {
    const { payments } = deps
    for (const checkout of await listByStatus(deps.db, ownerId, 'pending')) await close(deps, checkout)
    for (const checkout of await listByStatus(deps.db, ownerId, 'paid')) {
      if (!cancelSubscription) throw invalidField('cancelSubscription', SUBSCRIPTION)
      const payment = paymentAt(payments, checkout)
      if (!payments || !payment) throw forbidden(OTHER_PROVIDER)
      const { subscription_ref: subscriptionRef } = checkout
      await settlePayment(deps, checkout, await payments.cancel({ ...payment, subscriptionRef }))
    }
  })
}
