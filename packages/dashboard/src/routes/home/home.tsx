import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
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
import { WaitingApprovals } from '../executions/approval-cards.tsx'
import { useMay } from '../role.ts'
import { Welcome } from '../runtimes/welcome.tsx'
import { LastFailures } from './last-failures.tsx'
import { Today } from './today.tsx'

const RENEW_MS = 15_000

type Runtime = Schemas['RuntimeListItem']

/** The day so far and all runtimes, or those of the chosen project. An account without any is shown how to begin. */
export function Home(): ReactNode {
  const { project } = useSearch({ from: '/app' })
  const { data, error, isPending, refetch } = useQuery({ ...runtimesQuery(project), refetchInterval: RENEW_MS })
  const { change } = useMay()
  if (data?.length === 0 && project === undefined && change) return <Welcome />
  return (
    <Page title="Home" description="The last 24 hours, and your runtimes." actions={change && <NewRuntimeLink />}>
      {data && data.length > 0 && <Today projectId={project} />}
      <WaitingApprovals isLive />
      {error && !data && <LoadError error={error} onRetry={() => void refetch()} />}
      <Card isFlush title="Runtimes">
        {isPending && <Loading />}
        {data?.length === 0 && (
          <Empty
            picture="rows"
            title={project === undefined ? 'No runtimes yet' : 'No runtimes in this project'}
            action={change && <NewRuntimeLink />}
          >
            {change
              ? 'Choose another project, or create a runtime in this one.'
              : 'A developer or owner of the account can create one.'}
          </Empty>
        )}
        {data && data.length > 0 && (
          <Table caption="Runtimes" columns={COLUMNS} rows={data} rowKey={({ runtimeId }) => runtimeId} hasRowLinks />
        )}
      </Card>
      {data && data.length > 0 && <LastFailures projectId={project} />}
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
          className="font-medium underline-offset-2 [overflow-wrap:anywhere] hover:underline"
        >
          {name}
        </Link>
        <p className="font-mono text-xs text-muted [overflow-wrap:anywhere]">{runtimeId}</p>
      </div>
    ),
  },
  { heading: 'Connection', cell: ({ connection }) => <StateBadge state={connection.status} /> },
  {
    heading: 'Endpoint',
    isExtra: true,
    cell: ({ deployment, health }) =>
      deployment ? <StateBadge state={health} /> : <span className="text-muted">–</span>,
  },
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
        <span className="text-muted">Not deployed</span>
      ),
  },
]
