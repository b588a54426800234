import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { deploymentsQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { EarlierButton } from '../../ui/earlier-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { CompareCard } from './compare-card.tsx'
import { useRuntime } from './use-runtime.ts'

/** What serves, what served before, and what changed between any two. */
export function DeploymentsTab(): ReactNode {
  const { runtimeId, deployment } = useRuntime()
  if (!deployment) {
    return (
      <Card>
        <Empty picture="rows" title="No deployments yet">
          Run “npx --no svc deploy” in your project. The newest deployment is active.
        </Empty>
      </Card>
    )
  }
  // A deployment that was just made is not in the list as it was read before.
  return <Deployments key={deployment.version} runtimeId={runtimeId} />
}

function Deployments({ runtimeId }: { runtimeId: string }): ReactNode {
  const list = useInfiniteQuery({ ...deploymentsQuery(runtimeId), refetchOnMount: 'always' })
  const rows = list.data?.pages.flatMap(({ deployments }) => deployments) ?? []
  const [newest, previous] = rows
  return (
    <>
      <Card
        isFlush
        title="Deployments"
        description="The newest deployment is active. Each one replaces the one before it."
      >
        {list.isPending && <Loading />}
        {list.error && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
        {rows.length > 0 && (
          <Table caption="Deployments" columns={COLUMNS} rows={rows} rowKey={({ version }) => String(version)} />
        )}
      </Card>
      <EarlierButton list={list} />
      {newest && previous && (
        <CompareCard
          key={newest.version}
          runtimeId={runtimeId}
          versions={rows.map(({ version }) => version)}
          initially={{ before: previous.version, after: newest.version }}
        />
      )}
    </>
  )
}

const COLUMNS: Column<Schemas['DeploymentListItem']>[] = [
  { heading: 'Version', cell: ({ version }) => <span className="font-medium">v{version}</span> },
  { heading: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { heading: 'Deployed', cell: ({ deployedAt }) => <Ago at={deployedAt} /> },
  { heading: 'Capabilities', isNumber: true, isExtra: true, cell: ({ capabilityCount }) => capabilityCount },
]
