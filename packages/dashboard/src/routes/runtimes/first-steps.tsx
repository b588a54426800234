import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { runtimeQuery } from '../../api/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Chat } from '../chat/chat.tsx'
import { DeployCommands, Waiting } from './deploy-commands.tsx'
import { EmbedCode } from './embed.tsx'
import { environmentLines } from './environment-lines.ts'

const POLL_MS = 2_000

/** What follows on a new runtime: its credentials, shown this once, a deployment, a question, and a page to ask it on. */
export function FirstSteps({ created }: { created: Schemas['CreatedRuntime'] }): ReactNode {
  const { runtimeId } = created
  const { data: runtime } = useQuery({
    ...runtimeQuery(runtimeId),
    refetchInterval: ({ state }) => (state.data?.deployment ? false : POLL_MS),
  })
  const isDeployed = Boolean(runtime?.deployment)
  return (
    <Page
      title="The runtime is there"
      description={<code className="text-sm">{runtimeId}</code>}
      actions={
        <LinkButton to="/runtimes/$runtimeId" params={{ runtimeId }}>
          Go to the runtime
        </LinkButton>
      }
    >
      <Card
        title="1. Keep its credentials"
        description="As .env of your project. They stay on your server, all but the public key."
      >
        <div className="flex flex-col gap-4">
          <Notice kind="warn">The signing secret is shown this once. The keys can be revealed again later.</Notice>
          <CodeBlock text={environmentLines(created, location.origin)} label="the environment lines" />
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
        {...(!isDeployed && { description: 'Here is where you talk to it, once it is deployed.' })}
      >
        {isDeployed ? <Chat runtimeId={runtimeId} /> : <div className="pb-5" />}
      </Card>
      <Card
        title="4. Put the chat on your page"
        description="Any page may use the public key until you list the origins of those that may."
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
        Deployment {deployment?.version} is there, with {capabilityCount}{' '}
        {capabilityCount === 1 ? 'capability' : 'capabilities'}.
      </Notice>
      {endpoint === null && (
        <Notice kind="warn">
          <p>It has no endpoint yet, so none of them can be called. Set where your code answers, then ask.</p>
          <div className="mt-3">
            <LinkButton to="/runtimes/$runtimeId" params={{ runtimeId }}>
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
      <summary className="w-fit text-sm font-medium text-accent">One by one</summary>
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
