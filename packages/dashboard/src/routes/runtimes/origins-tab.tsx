import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { runtimeQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useMay } from '../role.ts'
import { EmbedCard } from './embed.tsx'
import { useRuntime } from './use-runtime.ts'

export function OriginsTab(): ReactNode {
  const runtime = useRuntime()
  const { change } = useMay()
  if (!change) return <Origins origins={runtime.allowedOrigins} />
  return (
    <>
      <OriginsForm key={runtime.runtimeId} runtime={runtime} />
      <EmbedCard runtime={runtime} />
    </>
  )
}

function Origins({ origins }: { origins: readonly string[] }): ReactNode {
  return (
    <Card title="Allowed origins" description="The origins whose pages can use the public key.">
      {origins.length === 0 ? (
        <Notice kind="warn">No origin is listed: pages of any site can use the public key.</Notice>
      ) : (
        <ul className="flex flex-col gap-1 font-mono text-sm">
          {origins.map((origin) => (
            <li key={origin} className="[overflow-wrap:anywhere]">
              {origin}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** One origin a line; what the service says of a line stands below. */
function OriginsForm({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, allowedOrigins } = runtime
  // Null until something is typed: a deployment may change them meanwhile.
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? allowedOrigins.join('\n')
  const queryClient = useQueryClient()
  const saving = useMutation({
    mutationFn: (sent: string) => {
      const params = { path: { runtimeId } }
      return bodyOf(api.PUT('/v1/runtimes/{runtimeId}/allowed-origins', { params, body: { origins: linesOf(sent) } }))
    },
    onSuccess: (saved, sent) => {
      toast('Origins saved.')
      // The saved value is shown without another request, which may fail; text typed meanwhile stays.
      queryClient.setQueryData(runtimeQuery(runtimeId).queryKey, (known) => known && { ...known, ...saved })
      setTyped((now) => (now === sent ? null : now))
      void queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] })
    },
  })
  return (
    <Card
      title="Allowed origins"
      description="The origins whose pages can use the public key. An empty list allows every page."
    >
      <Form
        className="max-w-xl"
        sending={saving}
        onSend={() => saving.mutate(text)}
        fields={['origins']}
        action="Save origins"
      >
        <TextArea
          label="Origins, one per line"
          rows={6}
          placeholder="https://shop.example.com"
          hint={`Scheme, host and port, such as https://shop.example.com. At most 50; ${linesOf(text).length} here.`}
          value={text}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          errors={faultsByLine(saving.error, linesOf(text))}
        />
        {linesOf(text).length === 0 && (
          <Notice kind="warn">No origin is listed: pages of any site can use the public key.</Notice>
        )}
      </Form>
    </Card>
  )
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function faultsByLine(error: unknown, lines: readonly string[]): string[] {
  if (!(error instanceof ApiError)) return []
  return Object.entries(error.fieldErrors).flatMap(([path, messages]) => {
    const line = lines[Number(/^origins\.(\d+)$/.exec(path)?.[1] ?? Number.NaN)]
    const subject = line === undefined ? 'The list' : `“${line}”`
    // Most messages name the origin themselves, and the one to use instead.
    return messages.map((message) => (/^[a-z]/.test(message) ? `${subject} ${message}` : message))
  })
}
