import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatTime } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { DeployCommands, Waiting } from './deploy-commands.tsx'
import { DoctorCard } from './doctor-card.tsx'
import { SettingsForm } from './settings-form.tsx'
import { stateAdvice } from './state-advice.ts'
import { useRuntime } from './use-runtime.ts'

/** How the runtime does, and what to do about it. */
export function OverviewTab(): ReactNode {
  const runtime = useRuntime()
  const advice = stateAdvice(runtime)
  return (
    <>
      {advice && <Notice kind={advice.kind}>{advice.text}</Notice>}
      {!runtime.deployment && <FirstDeployment runtimeId={runtime.runtimeId} />}
      <Card title="Connection and health">
        <Facts facts={facts(runtime)} />
      </Card>
      <DoctorCard key={`doctor ${runtime.runtimeId}`} runtimeId={runtime.runtimeId} />
      <SettingsForm key={runtime.runtimeId} runtime={runtime} />
    </>
  )
}

function facts(runtime: Schemas['RuntimeDetail']): (readonly [string, ReactNode])[] {
  const { connection, deployment, website, adp } = runtime
  return [
    ['Connection', `${connection.status}, over ${connection.transport}`],
    ['Last heard from', runtime.lastSeenAt === null ? 'never' : <Ago key="seen" at={runtime.lastSeenAt} />],
    ['Health', runtime.health],
    ['Endpoint', runtime.endpoint ?? 'none yet'],
    ['Serving', deployment ? `deployment ${deployment.version}` : 'nothing yet'],
    ['Deployed', deployment ? formatTime(deployment.deployedAt) : '–'],
    ['Version', runtime.version],
    ['Website', website?.url ?? '–'],
    ['Namespace', adp ? adp.namespace : '–'],
    ['Project', <ProjectName key="project" projectId={runtime.projectId} />],
  ]
}

function ProjectName({ projectId }: { projectId: string }): ReactNode {
  const { data } = useQuery(projectsQuery)
  return data?.find((project) => project.projectId === projectId)?.name ?? projectId
}

function FirstDeployment({ runtimeId }: { runtimeId: string }): ReactNode {
  return (
    <Card
      title="Deploy for the first time"
      description="With the runtime’s credentials in .env of your project. The keys can be revealed; a lost secret can be rotated."
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
