import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { runtimeQuery } from '../../api/queries.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CodeId } from '../../ui/code-id.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Chat } from '../chat/chat.tsx'
import { DeployCommands, Waiting } from './deploy-commands.tsx'
import { EmbedCode } from './embed.tsx'
import { environmentLines } from './environment-lines.ts'
import { forgetCredentials } from './kept-credentials.ts'

const POLL_MS = 2_000

interface FirstStepsProps {
  created: Schemas['CreatedRuntime']
  /** Leaves them for a further runtime; the credentials are shown no more. */
  onAnother: () => void
}

/** What follows on a new runtime: its credentials, shown this once, a deployment, a question, and a page to ask it on. */
export function FirstSteps({ created, onAnother }: FirstStepsProps): ReactNode {
  const { runtimeId } = created
  const { data: runtime } = useQuery({
    ...runtimeQuery(runtimeId),
    refetchInterval: ({ state }) => (state.data?.deployment ? false : POLL_MS),
  })
  const isDeployed = Boolean(runtime?.deployment)
  return (
    <Page
      title="Runtime created"
      description={<CodeId id={runtimeId} label="the runtime" />}
      actions={
        <>
          <Button kind="ghost" onClick={onAnother}>
            Create another
          </Button>
          <LinkButton to="/runtimes/$runtimeId" params={{ runtimeId }}>
            Open the runtime
          </LinkButton>
        </>
      }
    >
      <Card
        title="1. Save the credentials"
        description="Copy these lines into .env of your project. Keep them secret, except the public key."
      >
        <div className="flex flex-col gap-4">
          <Notice kind="warn">
            The signing secret is shown only here, and is gone once you have copied it and left. The keys can be
            revealed later.
          </Notice>
          <CodeBlock
            text={environmentLines(created, location.origin)}
            label="the environment lines"
            onCopied={forgetCredentials}
          />
          <OneByOne created={created} />
        </div>
      </Card>
      <Card title="2. Deploy">
        <div className="flex flex-col gap-4">
          <DeployCommands />
          {runtime?.deployment ? <Deployed runtime={runtime} /> : <Waiting />}
        </div>
      </Card>
      <Card
        title="3. Ask"
        isFlush
        {...(!isDeployed && { description: 'You can ask questions here after the first deployment.' })}
      >
        {isDeployed ? (
          <Chat runtimeId={runtimeId} capabilities={runtime?.capabilities ?? []} />
        ) : (
          <div className="pb-5" />
        )}
      </Card>
      <Card
        title="4. Put the chat on your page"
        description="Any page can use the public key until you list allowed origins."
        actions={
          <LinkButton to="/runtimes/$runtimeId/origins" params={{ runtimeId }}>
            Allowed origins
          </LinkButton>
        }
      >
        <div className="flex flex-col gap-4">
          <EmbedCode publicKey={created.publicKey} />
        </div>
      </Card>
    </Page>
  )
}

function Deployed({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { deployment, capabilityCount, endpoint, runtimeId } = runtime
  return (
    <>
      <Notice kind="ok">
        Deployment {deployment?.version} is active, with {capabilityCount}{' '}
        {capabilityCount === 1 ? 'capability' : 'capabilities'}.
      </Notice>
      {endpoint === null && (
        <Notice kind="warn">
          <p>The runtime has no endpoint, so no capability can be called. Set the endpoint, then ask.</p>
          <div className="mt-3">
            <LinkButton to="/runtimes/$runtimeId/settings" params={{ runtimeId }}>
              Set the endpoint
            </LinkButton>
          </div>
        </Notice>
      )}
    </>
  )
}

function OneByOne({ created }: { created: Schemas['CreatedRuntime'] }): ReactNode {
  const values = [
    ['Deploy key', created.deployKey],
    ['Public key', created.publicKey],
    ['Signing secret', created.secret],
  ] as const
  return (
    <details>
      <summary className="w-fit text-sm font-medium text-accent">Show each value</summary>
      <div className="mt-3 flex flex-col gap-3">
        {values.map(([name, value]) => (
          <div key={name}>
            <p className="mb-1 text-sm text-muted">{name}</p>
            <CodeBlock text={value} label={`the ${name.toLowerCase()}`} />
          </div>
        ))}
      </div>
    </details>
  )
}
