import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'

type WebhookEvent = Schemas['WebhookEvent']

const EVENTS: readonly (readonly [WebhookEvent, string])[] = [
  ['endpoint.unreachable', 'An endpoint does not answer'],
  ['endpoint.recovered', 'It answers again'],
  ['call.unknown', 'The outcome of a call is unknown'],
  ['deployment.promoted', 'A deployment becomes the stable one'],
  ['deployment.frozen', 'A candidate was stopped'],
  ['quota.threshold', '50, 80 or 100 % of a quota are used'],
  ['key.revealed', 'A key was shown'],
  ['key.rotated', 'A key or secret was replaced'],
]

interface NewWebhookProps {
  onMade: (webhook: Schemas['CreatedWebhook']) => void
  onClose: () => void
}

export function NewWebhook({ onMade, onClose }: NewWebhookProps): ReactNode {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<ReadonlySet<WebhookEvent>>(new Set(EVENTS.map(([event]) => event)))
  const queryClient = useQueryClient()
  const making = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/webhooks', { body: { url, events: [...events] } })),
    onSuccess: (webhook) => {
      // Not waited for: the secret would not be shown before the list is there again.
      void queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })
      onMade(webhook)
    },
  })
  const toggle = (event: WebhookEvent) => {
    const next = new Set(events)
    if (!next.delete(event)) next.add(event)
    setEvents(next)
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <Form
        sending={making}
        onSend={() => making.mutate()}
        fields={['url']}
        action="Create webhook"
        isBlocked={events.size === 0}
        onCancel={onClose}
      >
        <TextField
          label="URL"
          name="url"
          type="url"
          placeholder="https://shop.example.com/hooks/svc"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-sm font-medium">Events</legend>
          {EVENTS.map(([event, words]) => (
            <label key={event} className="flex items-start gap-2 text-sm">
              <input type="checkbox" className="mt-1" checked={events.has(event)} onChange={() => toggle(event)} />
              <span>
                {words} <code className="text-xs text-muted">{event}</code>
              </span>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  )
}
