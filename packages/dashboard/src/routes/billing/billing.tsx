import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { plansQuery, usageQuery } from '../../api/queries.ts'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { CheckoutReturn } from './checkout-return.tsx'
import { Plans } from './plans.tsx'
import { UsageCard } from './usage-card.tsx'

/** The plan, what is left of it, and the way to a larger one. */
export function Billing(): ReactNode {
  const { checkoutId, outcome } = useSearch({ from: '/app/session/billing' })
  const plans = useQuery(plansQuery)
  const usage = useQuery(usageQuery)
  return (
    <Page title="Billing" description="Your plan and usage.">
      {checkoutId !== undefined && <CheckoutReturn checkoutId={checkoutId} isCancelled={outcome === 'cancelled'} />}
      {usage.error && <LoadError error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.isPending && <Loading />}
      {usage.data && <UsageCard usage={usage.data} />}
      {plans.error && <LoadError error={plans.error} onRetry={() => void plans.refetch()} />}
      {plans.data && <Plans plans={plans.data} />}
    </Page>
  )
}
