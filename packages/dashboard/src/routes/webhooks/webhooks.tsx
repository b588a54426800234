import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useMay } from '../role.ts'
import { ALL_EVENT_TYPES } from './event-types.ts'
import { NewWebhook } from './new-webhook.tsx'

type Webhook = Schemas['Webhook']

/** Where the events of the account are sent. */
export function Webhooks(): ReactNode {
  const { data, error, isPending, refetch } = useQuery(webhooksQuery)
  const [isCreating, setCreating] = useState(false)
  const { change } = useMay()
  const create = change && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden="true" className="size-4" />
      New webhook
    </Button>
  )
  const isEmpty = data?.webhooks.length === 0
  return (
    <Page
      title="Webhooks"
      description="Signed messages to your server when something happens in this account."
      actions={!isEmpty && create}
    >
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      <Card isFlush>
        {isPending && <Loading />}
        {isEmpty && (
          <Empty picture="rows" title="No webhooks yet" action={create}>
            A webhook tells your server of promotions, frozen candidates, unreachable endpoints, unknown calls, quota
            alerts and key changes.
          </Empty>
        )}
        {data && !isEmpty && (
          <Table
            caption="Webhooks"
            columns={COLUMNS}
            rows={data.webhooks}
            rowKey={({ webhookId }) => webhookId}
            hasRowLinks
          />
        )}
      </Card>
      {isCreating && <NewWebhook onClose={() => setCreating(false)} />}
    </Page>
  )
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    heading: 'URL',
    cell: ({ webhookId, url }) => (
      <Link
        to="/webhooks/$webhookId"
        params={{ webhookId }}
        className="font-medium underline-offset-2 [overflow-wrap:anywhere] hover:underline"
      >
        {url}
      </Link>
    ),
  },
  { heading: 'Events', cell: ({ events }) => eventsInWords(events) },
  { heading: 'Created', isExtra: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function eventsInWords(events: Webhook['events']): string {
  if (events.length === ALL_EVENT_TYPES.length) return 'All'
  return events.length > 2 ? `${events.length} types` : events.join(', ')
}
