import * as contract from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { describeRoutes } from '../http/describe-routes.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { startCheckout, verifyCheckout } from './checkout.ts'
import type { BillingDeps } from './deps.ts'
import { listPlans } from './plans.ts'
import { billingUsage } from './usage.ts'

const describeRoute = describeRoutes('Billing')
const PLANS = describeRoute('listPlans', 'List plans', {
  description: 'Every plan with its price and its limits, and the one that the account is on. Null is unlimited.',
  response: { 200: contract.PlanList },
})
const USAGE = describeRoute('getUsage', 'Read current usage', {
  description:
    'The current UTC hour. Executions count from their admission, their calls and tokens once they have ended. ' +
    '`available` is what would be admitted right now.',
  response: { 200: contract.BillingUsage },
})
const CHECKOUT = describeRoute('startCheckout', 'Start an upgrade', {
  description:
    'Opens a payment page, valid for an hour, in place of any that was opened before. The payer comes back to one of the ' +
    'two addresses with `checkoutId` in the query. The plan changes once the payment provider has confirmed.',
  body: contract.CheckoutRequest,
  response: { 200: contract.Checkout },
})
const VERIFY = describeRoute('verifyCheckout', 'Confirm a completed payment', {
  description: 'Asks the payment provider. May be repeated.',
  body: contract.VerifyCheckoutRequest,
  response: { 200: contract.VerifiedCheckout },
})

/** Owner plane: plans, usage and upgrades. */
export function billingRoutes(plane: FastifyInstance, deps: BillingDeps): void {
  const routes = typed(plane)
  const config = { skipsAccountQueue: true }

  routes.get('/v1/billing/plans', { schema: PLANS }, async (request) => listPlans(ownerOf(request)))

  routes.get('/v1/billing/usage', { schema: USAGE }, (request) => billingUsage(deps, ownerOf(request)))

  routes.post('/v1/billing/checkout', { schema: CHECKOUT, config }, (request) =>
    startCheckout(deps, ownerOf(request), request.body),
  )

  routes.post('/v1/billing/verify', { schema: VERIFY, config }, (request) =>
    verifyCheckout(deps, ownerOf(request), request.body.checkoutId),
  )
}
