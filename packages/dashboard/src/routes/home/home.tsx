import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Plus, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { runtimesQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { Welcome } from './welcome.tsx'

const RENEW_MS = 15_000

type Runtime = Schemas['RuntimeListItem']

/** All runtimes, or those of the chosen project. An account without any is shown how to begin. */
export function Runtimes(): ReactNode {
  const { project } = useSearch({ from: '/app' })
  const { data, error, isPending, refetch } = useQuery({ ...runtimesQuery(project), refetchInterval: RENEW_MS })
  if (data?.length === 0 && project === undefined) return <Welcome />
  return (
    <Page title="Runtimes" description="Where your capabilities run." actions={<NewRuntimeLink />}>
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      <Card isFlush>
        {isPending && <Loading />}
        {data?.length === 0 && (
          <Empty icon={Server} title="No runtimes in this project" action={<NewRuntimeLink />}>
            Choose another project beside, or make a runtime here.
          </Empty>
        )}
        {data && data.length > 0 && (
          <Table caption="Runtimes" columns={COLUMNS} rows={data} rowKey={({ runtimeId }) => runtimeId} />
        )}
      </Card>
    </Page>
  )
}

function NewRuntimeLink(): ReactNode {
  return (
    <LinkButton kind="primary" to="/runtimes/new">
      <Plus aria-hidden="true" className="size-4" />
      New runtime
    </LinkButton>
  )
}

const COLUMNS: readonly Column<Runtime>[] = [
  {
    heading: 'Name',
    cell: ({ runtimeId, name }) => (
      <div className="min-w-0">
        <Link
          to="/runtimes/$runtimeId"
          params={{ runtimeId }}
          className="font-medium underline-offset-2 hover:underline"
        >
          {name}
        </Link>
        <p className="font-mono text-xs text-muted">{runtimeId}</p>
      </div>
    ),
  },
  { heading: 'Connection', cell: ({ connection }) => <StateBadge state={connection.status} /> },
  { heading: 'Health', isExtra: true, cell: ({ health }) => <StateBadge state={health} /> },
  { heading: 'Capabilities', isNumber: true, isExtra: true, cell: ({ capabilityCount }) => capabilityCount },
  {
    heading: 'Deployed',
    isExtra: true,
    cell: ({ deployment }) =>
      deployment ? (
        <span className="whitespace-nowrap">
          <span className="text-muted">v{deployment.version}, </span>
          <Ago at={deployment.deployedAt} />
        </span>
      ) : (
        <span className="text-muted">not yet</span>
      ),
  },
]
