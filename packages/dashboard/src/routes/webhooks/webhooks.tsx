import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { useMay } from '../role.ts'
import { DeleteWebhook } from './delete-webhook.tsx'
import { Deliveries } from './deliveries.tsx'
import { NewWebhook } from './new-webhook.tsx'

type Webhook = Schemas['Webhook']

/** Where the events of the account are sent, and what became of each. */
export function Webhooks(): ReactNode {
  const { data, error, isPending, refetch } = useQuery(webhooksQuery)
  const { change } = useMay()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<Schemas['CreatedWebhook'] | null>(null)
  const [deleted, setDeleted] = useState<Webhook | null>(null)
  const add = change && (
    <Button kind="primary" onClick={() => setMaking(true)}>
      <Plus aria-hidden="true" className="size-4" />
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      description={
        <>
          Signed posts to your server for each of the{' '}
          <Link to="/events" className="text-accent underline underline-offset-2">
            events
          </Link>{' '}
          that you choose.
        </>
      }
      actions={data && data.webhooks.length > 0 && add}
    >
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {made && <Secret webhook={made} />}
      {isPending && (
        <Card>
          <Loading />
        </Card>
      )}
      {data?.webhooks.length === 0 && (
        <Card>
          <Empty picture="rows" title="No webhooks yet" action={add}>
            Your server hears of unreachable endpoints, frozen candidates, unknown calls, quotas and key changes.
          </Empty>
        </Card>
      )}
      {data?.webhooks.map((webhook) => (
        <WebhookCard key={webhook.webhookId} webhook={webhook} {...(change && { onDelete: setDeleted })} />
      ))}
      {isMaking && (
        <NewWebhook
          onMade={(webhook) => {
            setMade(webhook)
            setMaking(false)
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {deleted && <DeleteWebhook webhook={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

function Secret({ webhook: { url, secret } }: { webhook: Schemas['CreatedWebhook'] }): ReactNode {
  return (
    <Notice kind="ok">
      <p className="mb-2 font-medium">Copy the signing secret of {url} now. It is shown only once.</p>
      <CodeBlock text={secret} label="the signing secret" />
    </Notice>
  )
}

interface WebhookCardProps {
  webhook: Webhook
  onDelete?: (webhook: Webhook) => void
}

function WebhookCard({ webhook, onDelete }: WebhookCardProps): ReactNode {
  const { webhookId, url, events } = webhook
  return (
    <Card
      title={url}
      isFlush
      description={
        <ul aria-label="Events" className="mt-1.5 flex flex-wrap gap-1.5">
          {events.map((event) => (
            <li key={event} className="rounded-md bg-subtle px-2 py-0.5 font-mono text-xs">
              {event}
            </li>
          ))}
        </ul>
      }
      actions={
        onDelete && (
          <Button size="small" aria-label={`Delete the webhook ${url}`} onClick={() => onDelete(webhook)}>
            Delete
          </Button>
        )
      }
    >
      <Deliveries webhookId={webhookId} url={url} />
    </Card>
  )
}
