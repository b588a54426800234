import { Plan, type PlanList, type Tier } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { TIERS } from '../usage/tiers.ts'

const perMonth = (amount: number | null): Plan['price'] => ({ amount, currency: 'USD', interval: 'month' })

/** A plan as it is shown and charged. Prices are in cents; null where the price is agreed individually. */
const OFFERS: Readonly<Record<Tier, Pick<Plan, 'name' | 'price'>>> = {
  free: { name: 'Free', price: perMonth(0) },
  pro: { name: 'Pro', price: perMonth(4_900) },
  enterprise: { name: 'Enterprise', price: perMonth(null) },
}

export function planOf(tier: Tier): Plan {
  return { tier, ...OFFERS[tier], limits: TIERS[tier] }
}

/** Every plan, the smallest first, and the account's own. */
export function listPlans(owner: Owner): PlanList {
  return { plans: Plan.shape.tier.options.map(planOf), current: owner.tier }
}
