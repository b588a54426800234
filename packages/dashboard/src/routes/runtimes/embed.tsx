import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Notice } from '../../ui/notice.tsx'
import { embedLines } from './embed-lines.ts'

/** The lines that put the chat onto a page, and what becomes of them there. */
export function EmbedCode({ publicKey }: { publicKey: string }): ReactNode {
  return (
    <>
      <CodeBlock text={embedLines(location.origin, publicKey)} label="the lines for your page" />
      <p className="max-w-3xl text-sm text-muted">
        They go anywhere into the page’s body. The chat is a round button in the corner; without{' '}
        <code className="text-[13px]">launcher</code> it stands where its element does. Headings, colours, signed-in
        users and a Content-Security-Policy are in the documentation, in docs/widget.md.
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
    <Card
      title="Put the chat on your page"
      description="Two lines of HTML, for any page whose origin the list above lets in. On others the browser keeps the chat from this service."
    >
      <div className="flex flex-col gap-4">
        {publicKeyPrefix === null && <NoKey runtimeId={runtimeId} />}
        {publicKeyPrefix !== null && revealing.data && <EmbedCode publicKey={revealing.data.key} />}
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        {publicKeyPrefix !== null && !revealing.data && (
          <div>
            <Button isBusy={revealing.isPending} onClick={() => revealing.mutate()}>
              Show the lines
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
      <p>The public key is revoked, so no page can ask this runtime. Make a new one first.</p>
      <div className="mt-3">
        <LinkButton to="/runtimes/$runtimeId/keys" params={{ runtimeId }}>
          Keys
        </LinkButton>
      </div>
    </Notice>
  )
}
