import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ALL_EVENT_TYPES, EVENT_TYPES, type EventType } from './event-types.ts'

/** Asks where to send which events, then shows the signing secret, once. */
export function NewWebhook({ onClose }: { onClose: () => void }): ReactNode {
  const queryClient = useQueryClient()
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<readonly EventType[]>(ALL_EVENT_TYPES)
  const creating = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/webhooks', { body: { url, events: [...events] } })),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
  if (creating.data) {
    return (
      <Dialog title="Webhook created" onClose={onClose}>
        <p className="text-sm">
          Copy the signing secret now: it is shown only once. Your server{' '}
          <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" className="text-accent underline">
            verifies each message
          </a>{' '}
          with it.
        </p>
        <CodeBlock text={creating.data.secret} label="the signing secret" />
        <div className="flex justify-end">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <Form
        sending={creating}
        onSend={() => creating.mutate()}
        fields={['url', 'events']}
        action="Create webhook"
        isBlocked={events.length === 0}
        onCancel={onClose}
      >
        <TextField
          label="URL"
          name="url"
          type="url"
          placeholder="https://example.com/webhooks"
          autoComplete="off"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <EventBoxes value={events} onChange={setEvents} />
      </Form>
    </Dialog>
  )
}

interface EventBoxesProps {
  value: readonly EventType[]
  onChange: (events: readonly EventType[]) => void
}

function EventBoxes({ value, onChange }: EventBoxesProps): ReactNode {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">Events</legend>
      {ALL_EVENT_TYPES.map((type) => (
        <label key={type} className="flex items-start gap-2.5 text-sm">
          <input
            type="checkbox"
            checked={value.includes(type)}
            onChange={({ target }) =>
              onChange(ALL_EVENT_TYPES.filter((each) => (each === type ? target.checked : value.includes(each))))
            }
            className="mt-0.5 size-4 accent-accent-fill"
          />
          <span>
            <span className="font-mono text-xs">{type}</span>
            <span className="block text-muted">{EVENT_TYPES[type]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
