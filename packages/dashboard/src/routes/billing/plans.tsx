import { useMutation } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatBytes, formatCount, formatPrice } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { useMay } from '../role.ts'

type Plan = Schemas['Plan']

/** The plans beside each other, with the way from the free one to the next. */
export function Plans({ plans: { plans, current } }: { plans: Schemas['PlanList'] }): ReactNode {
  const { administer } = useMay()
  const checkout = useMutation({
    mutationFn: () => bodyOf(api.POST('/v1/billing/checkout', { body: { tier: 'pro', ...returnAddresses() } })),
    onSuccess: ({ url }) => location.assign(url),
  })
  const problem = messageBeside(checkout.error, [])
  return (
    <section aria-label="Plans" className="flex flex-col gap-4">
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      <ul className="grid gap-4 md:grid-cols-3">
        {plans.map((plan) => (
          <PlanCard key={plan.tier} plan={plan} isCurrent={plan.tier === current}>
            {administer && current === 'free' && plan.tier === 'pro' && (
              <Button
                kind="primary"
                isBusy={checkout.isPending || checkout.isSuccess}
                onClick={() => checkout.mutate()}
              >
                Upgrade to {plan.name}
              </Button>
            )}
          </PlanCard>
        ))}
      </ul>
    </section>
  )
}

function returnAddresses(): { successUrl: string; cancelUrl: string } {
  const page = `${location.origin}/dashboard/billing`
  return { successUrl: `${page}?outcome=paid`, cancelUrl: `${page}?outcome=cancelled` }
}

function PlanCard({ plan, isCurrent, children }: { plan: Plan; isCurrent: boolean; children: ReactNode }): ReactNode {
  return (
    <li
      className={classNames(
        'flex flex-col gap-4 rounded-lg border bg-surface p-5',
        isCurrent ? 'border-accent' : 'border-line',
      )}
    >
      <div>
        <h2 className="flex items-center justify-between font-semibold">
          {plan.name}
          {isCurrent && <Badge tone="accent">Current plan</Badge>}
        </h2>
        <p className="mt-1 text-xl font-semibold">{priceOf(plan)}</p>
      </div>
      <ul className="flex flex-1 flex-col gap-1.5 text-sm text-muted">
        {limitsOf(plan).map((limit) => (
          <li key={limit} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
            {limit}
          </li>
        ))}
      </ul>
      {children}
    </li>
  )
}

function priceOf({ price }: Plan): string {
  if (price.amount === null) return 'Contact us'
  return `${formatPrice(price.amount, price.currency)} / ${price.interval}`
}

function limitsOf({ limits }: Plan): string[] {
  const amount = (count: number | null, one: string, many: string) =>
    count === null ? `Unlimited ${many}` : `${formatCount(count)} ${count === 1 ? one : many}`
  return [
    amount(limits.runtimes, 'runtime', 'runtimes'),
    limits.executionsPerHour === null
      ? 'Unlimited executions'
      : `${formatCount(limits.executionsPerHour)} executions per hour, up to ${formatCount(limits.executionsBurst ?? 0)} carried over`,
    `${formatCount(limits.requestsPerMinute)} requests per minute and runtime`,
    `${formatCount(limits.analyticsDays)} days of analytics`,
    `${formatCount(limits.retentionDays)} days of traces`,
    limits.storedBytes === null ? 'Unlimited storage' : `${formatBytes(limits.storedBytes)} of storage`,
  ]
}
