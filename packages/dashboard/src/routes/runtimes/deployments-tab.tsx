import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { deploymentsQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EarlierButton } from '../../ui/earlier-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useMay } from '../role.ts'
import { CompareCard } from './compare-card.tsx'
import { DeploymentCommit } from './deployment-source.tsx'
import { NotDeployed } from './not-deployed.tsx'
import { PromoteDialog } from './promote-dialog.tsx'
import { TrafficCard } from './traffic-card.tsx'
import { useRuntime } from './use-runtime.ts'
import { type Serve, useServe } from './use-serve.ts'

/** What serves, what served before, and what changed between any two. */
export function DeploymentsTab(): ReactNode {
  const { runtimeId, deployment } = useRuntime()
  // A deployment that was just made is not in the list as it was read before.
  return <Deployments key={deployment?.version ?? 0} runtimeId={runtimeId} />
}

function Deployments({ runtimeId }: { runtimeId: string }): ReactNode {
  const list = useInfiniteQuery({ ...deploymentsQuery(runtimeId), refetchOnMount: 'always' })
  const serve = useServe(runtimeId)
  const { change } = useMay()
  const problem = serve.asked === null ? messageBeside(serve.sending.error, []) : null
  const rows = list.data?.pages.flatMap(({ deployments }) => deployments) ?? []
  const [newest, previous] = rows
  if (list.data && !newest) {
    return (
      <NotDeployed runtimeId={runtimeId} title="No deployments yet">
        Run “npx --no svc deploy” in your project. The newest deployment is active.
      </NotDeployed>
    )
  }
  return (
    <>
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      {newest && <TrafficCard runtimeId={runtimeId} serve={serve} />}
      <Card
        isFlush
        title="Deployments"
        description="One is stable. A candidate may serve a share of the executions beside it."
      >
        {list.isPending && <Loading />}
        {list.error && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
        {rows.length > 0 && (
          <Table
            caption="Deployments"
            columns={change ? [...COLUMNS, serving(serve)] : COLUMNS}
            rows={rows}
            rowKey={({ version }) => String(version)}
          />
        )}
      </Card>
      <EarlierButton list={list} />
      {newest && previous && (
        <CompareCard
          key={newest.version}
          runtimeId={runtimeId}
          deployments={rows}
          initially={{ before: previous.version, after: newest.version }}
        />
      )}
      {serve.asked !== null && <PromoteDialog version={serve.asked} serve={serve} />}
    </>
  )
}

/** The share that a deployment out of the list begins with, in percent. */
const FIRST_SHARE = 5

const COLUMNS: readonly Column<Schemas['DeploymentListItem']>[] = [
  {
    heading: 'Version',
    cell: (deployment) => (
      <div>
        <span className="font-medium">v{deployment.version}</span>
        <div className="my-1 text-sm md:hidden">
          <State deployment={deployment} />
        </div>
        <div className="text-xs text-muted xl:hidden">
          <Ago at={deployment.deployedAt} />
        </div>
        {deployment.source && (
          <div className="text-xs text-muted md:hidden">
            <DeploymentCommit source={deployment.source} />
          </div>
        )}
      </div>
    ),
  },
  { heading: 'State', isExtra: true, cell: (deployment) => <State deployment={deployment} /> },
  { heading: 'Deployed', isExtra: 'wide', cell: ({ deployedAt }) => <Ago at={deployedAt} /> },
  { heading: 'Commit', isExtra: true, cell: ({ source }) => <DeploymentCommit source={source} /> },
  { heading: 'Capabilities', isNumber: true, isExtra: 'wide', cell: ({ capabilityCount }) => capabilityCount },
]

function State({ deployment: { status, frozen, traffic } }: { deployment: Schemas['DeploymentListItem'] }): ReactNode {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap tabular-nums">
      <StateBadge state={frozen ? 'frozen' : status} />
      {traffic > 0 && `${traffic} %`}
    </span>
  )
}

function serving({ ask, share, busy }: Serve): Column<Schemas['DeploymentListItem']> {
  return {
    heading: 'Actions',
    cell: ({ version, status }) =>
      status === 'superseded' && (
        <div className="flex gap-2">
          <Button size="small" aria-label={`Promote v${version}`} onClick={() => ask(version)}>
            Promote
          </Button>
          <Button
            size="small"
            className="max-sm:hidden"
            aria-label={`Send ${FIRST_SHARE} % to v${version}`}
            isBusy={busy}
            onClick={() => share(version, FIRST_SHARE)}
          >
            Send {FIRST_SHARE} %
          </Button>
        </div>
      ),
  }
}
