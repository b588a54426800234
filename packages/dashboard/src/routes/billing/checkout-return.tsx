import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { capitalized } from '../../ui/format.ts'
import { LoadError, Notice } from '../../ui/notice.tsx'

const ASK_AGAIN_MS = 3_000

/** Back from the payment page. The plan changes once the payment provider has confirmed, which may take a moment. */
export function CheckoutReturn({ checkoutId, isCancelled }: { checkoutId: string; isCancelled: boolean }): ReactNode {
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['checkout', checkoutId],
    queryFn: () => bodyOf(api.POST('/v1/billing/verify', { body: { checkoutId } })),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' && !isCancelled ? ASK_AGAIN_MS : false),
  })
  const isPaid = data?.status === 'paid'
  useEffect(() => {
    if (!isPaid) return
    void queryClient.invalidateQueries({ queryKey: accountQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: ['billing'] })
  }, [isPaid, queryClient])
  if (error) return <LoadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Notice>Checking with the payment provider…</Notice>
  if (isPaid) return <Notice kind="ok">Payment confirmed. You are on the {capitalized(data.tier)} plan.</Notice>
  if (data.status === 'expired' || isCancelled) {
    return <Notice kind="info">The payment was cancelled. Your plan has not changed.</Notice>
  }
  return <Notice kind="info">The payment is not confirmed yet. This page checks every few seconds.</Notice>
}
