import * as z from 'zod'
import { Timestamp } from './json.ts'
import { Tier } from './runtimes.ts'
import { WebUrl } from './web-addresses.ts'

/** Null is unlimited. */
const Allowed = z.int().nonnegative().nullable()

/** What a plan allows. */
export const PlanLimits = z.object({
  runtimes: Allowed,
  executionsPerHour: Allowed,
  executionsBurst: Allowed,
  anonymousPerHour: Allowed,
  anonymousBurst: Allowed,
  requestsPerMinute: z.int().positive(),
  analyticsDays: z.int().positive(),
  retentionDays: z.int().positive(),
  storedBytes: Allowed,
})
export type PlanLimits = z.infer<typeof PlanLimits>

/** A plan. `price.amount` is in the currency’s smallest unit; null where the price is agreed upon in person. */
export const Plan = z.object({
  tier: Tier,
  name: z.string(),
  price: z.object({
    amount: z.int().nonnegative().nullable(),
    currency: z.string().length(3),
    interval: z.literal('month'),
  }),
  limits: PlanLimits,
})
export type Plan = z.infer<typeof Plan>

/** Answer of `GET /v1/billing/plans`. */
export const PlanList = z.object({ plans: z.array(Plan), current: Tier })
export type PlanList = z.infer<typeof PlanList>

const Allowance = z.object({
  /** Admitted in the period. */
  used: z.int().nonnegative(),
  available: Allowed,
  perHour: Allowed,
  burst: Allowed,
})

/** What a million tokens of the model cost the operator, in US dollars. */
export const ModelPrices = z
  .object({ inputPerMillion: z.number().nonnegative(), outputPerMillion: z.number().nonnegative() })
  .describe('US dollars for a million tokens of the model, as the operator configured them.')
export type ModelPrices = z.infer<typeof ModelPrices>

/** Answer of `GET /v1/billing/usage`. The period is the current UTC hour. */
export const BillingUsage = z.object({
  tier: Tier,
  periodStart: Timestamp,
  periodEnd: Timestamp,
  executions: Allowance,
  anonymous: Allowance,
  capabilityCalls: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  totalTokens: z.int().nonnegative(),
  /** Payloads of executions in retention, and manifests of deployments, as they are now. */
  storedBytes: z.object({ used: z.int().nonnegative(), limit: Allowed }),
  // Older services leave it out.
  modelPrices: ModelPrices.nullable().default(null),
  warnings: z.array(z.string()),
})
export type BillingUsage = z.infer<typeof BillingUsage>

/** Where a payer comes back to. It is kept with the checkout, which is no place for a password. */
const ReturnUrl = WebUrl.refine((address) => !namesUser(address), 'must not carry a user name or password.')

function namesUser(address: string): boolean {
  try {
    const { username, password } = new URL(address)
    return username !== '' || password !== ''
  } catch {
    return false
  }
}

/** Body of `POST /v1/billing/checkout`. The payer comes back to one of the two addresses. */
export const CheckoutRequest = z.strictObject({
  tier: z.literal(
    'pro',
    'must be “pro”: the free plan needs no checkout, and the enterprise plan is agreed upon in person.',
  ),
  successUrl: ReturnUrl,
  cancelUrl: ReturnUrl,
})
export type CheckoutRequest = z.infer<typeof CheckoutRequest>

/** Where the payment is made. `provider` is `test` where no payment provider is configured: no money moves there. */
export const Checkout = z.object({ checkoutId: z.string(), url: z.url(), provider: z.enum(['stripe', 'test']) })
export type Checkout = z.infer<typeof Checkout>

/** Body of `POST /v1/billing/verify`. */
export const VerifyCheckoutRequest = z.strictObject({ checkoutId: z.string() })
export type VerifyCheckoutRequest = z.infer<typeof VerifyCheckoutRequest>

export const VerifiedCheckout = z.object({
  checkoutId: z.string(),
  status: z.enum(['paid', 'pending', 'expired']),
  tier: Tier,
})
export type VerifiedCheckout = z.infer<typeof VerifiedCheckout>
