import { Plan, type PlanList, type Tier } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { TIERS } from '../usage/tiers.ts'

/** What a plan costs: this is what is shown and what is charged. */
export interface Price {
  /** In the currency's smallest unit; null where it is agreed upon in person. */
  amount: number | null
  currency: string
  interval: 'month'
}

const perMonth = (amount: number | null): Price => ({ amount, currency: 'USD', interval: 'month' })

const OFFERS: Readonly<Record<Tier, { name: string; price: Price }>> = {
  free: { name: 'Free', price: perMonth(0) },
  pro: { name: 'Pro', price: perMonth(4_900) },
  enterprise: { name: 'Enterprise', price: perMonth(null) },
}

/** One plan with its price and everything that it limits. */
export function planOf(tier: Tier): Plan {
  return { tier, ...OFFERS[tier], limits: TIERS[tier] }
}

/** Every plan, the smallest first, and the one that the account is on. */
export function listPlans(owner: Owner): PlanList {
  return { plans: Plan.shape.tier.options.map(planOf), current: owner.tier }
}
