import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { deploymentQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { capitalized } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { WaitingApprovals } from '../executions/approval-cards.tsx'
import { LastFailures } from '../home/last-failures.tsx'
import { Today } from '../home/today.tsx'
import { useMay } from '../role.ts'
import { DeployCommands, Waiting } from './deploy-commands.tsx'
import { DeploymentCommit } from './deployment-source.tsx'
import { DoctorCard } from './doctor-card.tsx'
import { NextStep } from './next-step.tsx'
import { stateAdvice } from './state-advice.ts'
import { useRuntime } from './use-runtime.ts'

/** How the runtime does, and what to do about it. */
export function OverviewTab(): ReactNode {
  const runtime = useRuntime()
  const { runtimeId, deployment } = runtime
  const advice = stateAdvice(runtime)
  const { change } = useMay()
  return (
    <>
      {advice && <Notice kind={advice.kind}>{advice.text}</Notice>}
      {!deployment && change && <FirstDeployment runtimeId={runtimeId} />}
      {deployment && <Today runtimeId={runtimeId} />}
      <WaitingApprovals isLive runtimeId={runtimeId} />
      {deployment && change && <NextStep runtime={runtime} />}
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <EndpointCard runtime={runtime} />
          {change && <DoctorCard key={runtimeId} runtimeId={runtimeId} />}
        </div>
        <DeploymentCard runtime={runtime} />
      </div>
      {deployment && <LastFailures runtimeId={runtimeId} />}
    </>
  )
}

function EndpointCard({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, connection, health, endpoint, lastSeenAt } = runtime
  const { change } = useMay()
  return (
    <Card
      title="Endpoint"
      actions={
        <LinkButton size="small" to="/runtimes/$runtimeId/settings" params={{ runtimeId }}>
          {endpoint === null && change ? 'Set the endpoint' : 'Settings'}
        </LinkButton>
      }
    >
      <div className="flex flex-col gap-4">
        <code className="text-[13px] [overflow-wrap:anywhere]">{endpoint ?? 'Not set'}</code>
        <Facts
          facts={[
            ['Health', <StateBadge key="health" state={health} />],
            ['Connection', <StateBadge key="connection" state={connection.status} />],
            ['Transport', connection.transport.toUpperCase()],
            ['Last seen', lastSeenAt === null ? 'Never' : <Ago key="seen" at={lastSeenAt} />],
          ]}
        />
      </div>
    </Card>
  )
}

function DeploymentCard({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, deployment, capabilities, version, website, adp } = runtime
  const { data } = useQuery({ ...deploymentQuery(runtimeId, deployment?.version ?? 0), enabled: deployment !== null })
  if (!deployment) return null
  const source = data?.source
  return (
    <Card
      title="Active deployment"
      actions={
        <LinkButton size="small" to="/runtimes/$runtimeId/deployments" params={{ runtimeId }}>
          View changes
        </LinkButton>
      }
    >
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            ['Deployment', `v${deployment.version}`],
            ['Deployed', <Ago key="deployed" at={deployment.deployedAt} />],
            ['Code version', version],
            ...(source ? [['Commit', <DeploymentCommit key="commit" source={source} />] as const] : []),
            ['Website', website?.url ?? '–'],
            ...(adp ? [['Namespace', adp.namespace] as const] : []),
          ]}
        />
        <p className="flex flex-wrap gap-1.5">
          {capabilities.map(({ name, effect }) => (
            <Link
              key={name}
              to="/runtimes/$runtimeId/capabilities"
              params={{ runtimeId }}
              hash={name}
              title={capitalized(effect)}
              className="rounded-md bg-subtle px-2 py-0.5 font-mono text-xs [overflow-wrap:anywhere] hover:text-accent"
            >
              {name}
            </Link>
          ))}
        </p>
      </div>
    </Card>
  )
}

function FirstDeployment({ runtimeId }: { runtimeId: string }): ReactNode {
  return (
    <Card
      title="Deploy for the first time"
      description="Put the runtime’s credentials into .env of your project. The keys can be revealed; a lost secret must be rotated."
      actions={
        <LinkButton to="/runtimes/$runtimeId/keys" params={{ runtimeId }}>
          Keys
        </LinkButton>
      }
    >
      <div className="flex flex-col gap-4">
        <DeployCommands />
        <Waiting />
      </div>
    </Card>
  )
}
