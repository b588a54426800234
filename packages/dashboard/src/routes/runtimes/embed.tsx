import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Notice } from '../../ui/notice.tsx'
import { EmbedDesigner } from './embed-designer.tsx'
import { embedLines } from './embed-lines.ts'

/** The lines that put the chat onto a page, and what they do there. */
export function EmbedCode({ publicKey }: { publicKey: string }): ReactNode {
  return (
    <>
      <CodeBlock text={embedLines(location.origin, publicKey)} label="the lines for your page" />
      <p className="max-w-3xl text-sm text-muted">
        Paste them anywhere into the body of your page. The chat opens from a round button in the corner; without{' '}
        <code className="text-[13px]">launcher</code> it appears in place. docs/guides/widget.md covers headings,
        colours, signed-in users and a Content-Security-Policy.
      </p>
    </>
  )
}

/** The same for a runtime that is there already: its public key, and so the lines, are asked for. */
export function EmbedCard({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, publicKeyPrefix } = runtime
  const revealing = useMutation({
    gcTime: 0,
    mutationFn: () => {
      const params = { path: { runtimeId } }
      return bodyOf(api.POST('/v1/runtimes/{runtimeId}/reveal-key', { params, body: { type: 'public' } }))
    },
  })
  const problem = messageBeside(revealing.error, [])
  return (
    <Card title="Put the chat on your page" description="For any page whose origin is allowed above.">
      <div className="flex flex-col gap-4">
        {publicKeyPrefix === null && <NoKey runtimeId={runtimeId} />}
        {publicKeyPrefix !== null && revealing.data && <EmbedDesigner publicKey={revealing.data.key} />}
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        {publicKeyPrefix !== null && !revealing.data && (
          <div>
            <Button isBusy={revealing.isPending} onClick={() => revealing.mutate()}>
              Show code
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}

function NoKey({ runtimeId }: { runtimeId: string }): ReactNode {
  return (
    <Notice kind="warn">
      <p>The public key is revoked, so no page can use this runtime. Create a new key first.</p>
      <div className="mt-3">
        <LinkButton to="/runtimes/$runtimeId/keys" params={{ runtimeId }}>
          Keys
        </LinkButton>
      </div>
    </Notice>
  )
}
