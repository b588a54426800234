import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { deliveriesQuery, webhookQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeId } from '../../ui/code-id.tsx'
import { DangerZone } from '../../ui/danger-zone.tsx'
import { EarlierButton } from '../../ui/earlier-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'
import { useMay } from '../role.ts'
import { NotFound } from '../route-states.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { Deliveries } from './deliveries.tsx'

/** One webhook: what it is told of, what was sent to it, and how that went. */
export function WebhookPage(): ReactNode {
  const { webhookId } = useParams({ from: '/app/session/webhooks/$webhookId' })
  const webhook = useQuery(webhookQuery(webhookId))
  const { change } = useMay()
  if (webhook.error instanceof ApiError && webhook.error.code === 'not_found') return <NotFound />
  if (webhook.error && !webhook.data) return <LoadError error={webhook.error} onRetry={() => void webhook.refetch()} />
  if (!webhook.data) return <Loading rows={4} />
  const { url, events, createdAt } = webhook.data
  return (
    <Page
      title={new URL(url).host}
      parent={
        <Link to="/webhooks" className="underline-offset-2 hover:underline">
          Webhooks
        </Link>
      }
    >
      <Card>
        <div className="flex flex-col gap-4">
          <Facts
            facts={[
              ['URL', url],
              ['Webhook', <CodeId key="id" id={webhookId} label="the webhook" />],
              ['Created', <Ago key="created" at={createdAt} />],
            ]}
          />
          <div>
            <h2 className="text-xs font-medium text-muted">Events</h2>
            <ul className="mt-1.5 flex flex-wrap gap-1.5">
              {events.map((type) => (
                <li key={type}>
                  <Badge>{type}</Badge>
                </li>
              ))}
            </ul>
          </div>
        </div>
      </Card>
      <DeliveriesCard webhookId={webhookId} />
      {change && (
        <DangerZone
          action="Delete webhook"
          dialog={(close) => <DeleteWebhook webhookId={webhookId} url={url} onClose={close} />}
        >
          Messages that wait for it are deleted with it.
        </DangerZone>
      )}
    </Page>
  )
}

function DeliveriesCard({ webhookId }: { webhookId: string }): ReactNode {
  const list = useInfiniteQuery(deliveriesQuery(webhookId))
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries)
  return (
    <>
      {list.error && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
      <Card
        isFlush
        title="Deliveries"
        description="A message is tried again for 24 hours, until your server answers with a status from 200 to 299."
      >
        {list.isPending && <Loading />}
        {deliveries?.length === 0 && (
          <Empty picture="rows" title="No deliveries yet">
            The next event of these types appears here.
          </Empty>
        )}
        {deliveries && deliveries.length > 0 && <Deliveries webhookId={webhookId} deliveries={deliveries} />}
      </Card>
      <EarlierButton list={list} />
    </>
  )
}
