import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { deliveriesQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EarlierButton } from '../../ui/earlier-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useMay } from '../role.ts'

type Delivery = Schemas['WebhookDelivery']

/** What a webhook was sent, with a way to send it again. */
export function Deliveries({ webhookId, url }: { webhookId: string; url: string }): ReactNode {
  const list = useInfiniteQuery(deliveriesQuery(webhookId))
  const { change } = useMay()
  const queryClient = useQueryClient()
  const resending = useMutation({
    mutationFn: (deliveryId: string) => {
      const params = { path: { webhookId, deliveryId } }
      return bodyOf(api.POST('/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { params }))
    },
    onSuccess: async () => {
      toast('The event is sent again.')
      await queryClient.invalidateQueries({ queryKey: ['webhooks', webhookId] })
    },
  })
  const problem = messageBeside(resending.error, [])
  const rows = list.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []
  return (
    <div className="border-t border-line">
      {list.isPending && <Loading rows={2} />}
      {list.error && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      {list.data && rows.length === 0 && <p className="px-5 py-4 text-sm text-muted">Nothing was sent yet.</p>}
      {rows.length > 0 && (
        <Table
          caption={`Deliveries to ${url}`}
          columns={change ? [...COLUMNS, again(resending.mutate)] : COLUMNS}
          rows={rows}
          rowKey={({ deliveryId }) => deliveryId}
        />
      )}
      <EarlierButton list={list} />
    </div>
  )
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    heading: 'Event',
    cell: ({ type, createdAt, lastError }) => (
      <div>
        <code className="text-[13px]">{type}</code>
        {lastError !== null && <p className="text-xs text-muted [overflow-wrap:anywhere]">{lastError}</p>}
        <p className="text-xs text-muted md:hidden">
          <When at={createdAt} />
        </p>
      </div>
    ),
  },
  { heading: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { heading: 'Attempts', isNumber: true, isExtra: true, cell: ({ attempts }) => attempts },
  { heading: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
]

function again(resend: (deliveryId: string) => void): Column<Delivery> {
  return {
    heading: 'Actions',
    cell: ({ deliveryId, type, status }) =>
      status !== 'waiting' && (
        <Button size="small" aria-label={`Resend ${type}`} onClick={() => resend(deliveryId)}>
          Resend
        </Button>
      ),
  }
}
