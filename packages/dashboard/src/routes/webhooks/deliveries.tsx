import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { deliveriesQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useMay } from '../role.ts'
import { RuntimeLink } from '../runtime-link.tsx'

type Delivery = Schemas['WebhookDelivery']

interface DeliveriesProps {
  webhookId: string
  deliveries: readonly Delivery[]
}

/** Messages sent to a webhook, each with the error of its last try and a button that sends it again. */
export function Deliveries({ webhookId, deliveries }: DeliveriesProps): ReactNode {
  const queryClient = useQueryClient()
  const { change } = useMay()
  const resending = useMutation({
    mutationFn: (deliveryId: string) =>
      bodyOf(
        api.POST('/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', {
          params: { path: { webhookId, deliveryId } },
        }),
      ),
    onSuccess: async () => {
      toast('The message will be sent again.')
      await queryClient.invalidateQueries({ queryKey: deliveriesQuery(webhookId).queryKey })
    },
  })
  const busyId = resending.isPending ? resending.variables : null
  const problem = messageBeside(resending.error, [])
  return (
    <>
      {problem !== null && (
        <div className="p-4">
          <Notice kind="bad">{problem}</Notice>
        </div>
      )}
      <Table
        caption="Deliveries"
        columns={change ? [...COLUMNS, resendColumn(resending.mutate, busyId)] : COLUMNS}
        rows={deliveries}
        rowKey={({ deliveryId }) => deliveryId}
      />
    </>
  )
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    heading: 'Event',
    cell: ({ type, runtimeId, createdAt }) => (
      <div>
        <span className="font-mono text-xs whitespace-nowrap">{type}</span>
        {runtimeId !== null && (
          <p className="text-muted">
            <RuntimeLink runtimeId={runtimeId} />
          </p>
        )}
        <p className="text-muted md:hidden">
          <When at={createdAt} />
        </p>
      </div>
    ),
  },
  { heading: 'Status', cell: StatusCell },
  { heading: 'Tries', isNumber: true, isExtra: true, cell: ({ attempts }) => attempts },
  { heading: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
]

function StatusCell({ status, lastError, nextAttemptAt }: Delivery): ReactNode {
  return (
    <div>
      <StateBadge state={status} />
      {lastError !== null && <p className="mt-1 max-w-md min-w-36 text-muted [overflow-wrap:anywhere]">{lastError}</p>}
      {nextAttemptAt !== null && lastError !== null && (
        <p className="mt-0.5 text-muted">Next try {formatTime(nextAttemptAt)}</p>
      )}
    </div>
  )
}

function resendColumn(resend: (deliveryId: string) => void, busyId: string | null): Column<Delivery> {
  return {
    heading: 'Actions',
    cell: ({ deliveryId, type, status }) =>
      status !== 'waiting' && (
        <Button
          size="small"
          isBusy={deliveryId === busyId}
          aria-label={`Send ${type} again`}
          onClick={() => resend(deliveryId)}
        >
          Send again
        </Button>
      ),
  }
}
