import { useQuery } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { type ReactNode, useEffect, useMemo } from 'react'
import { ApiError } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { manifestQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { CompareCard } from './compare-card.tsx'
import { keepSeen, readSeen, type SeenDeployment, withPublished } from './seen-deployments.ts'
import { useRuntime } from './use-runtime.ts'

/** What serves, what served before as far as this browser has seen it, and what changed between any two. */
export function DeploymentsTab(): ReactNode {
  const { runtimeId, deployment } = useRuntime()
  if (!deployment) {
    return (
      <Card>
        <Empty icon={Rocket} title="No deployment yet">
          “npx svc deploy” makes the first one. The newest serves.
        </Empty>
      </Card>
    )
  }
  return <Deployments key={deployment.version} runtimeId={runtimeId} deployment={deployment} />
}

interface DeploymentsProps {
  runtimeId: string
  deployment: NonNullable<Schemas['RuntimeDetail']['deployment']>
}

function Deployments({ runtimeId, deployment }: DeploymentsProps): ReactNode {
  const { data: manifest, error, isPending } = useQuery({ ...manifestQuery(runtimeId), staleTime: 0 })
  const seen = useMemo(() => {
    const before = readSeen(runtimeId)
    return manifest ? withPublished(before, deployment, manifest) : before
  }, [runtimeId, deployment, manifest])
  useEffect(() => keepSeen(runtimeId, seen), [runtimeId, seen])
  const isKnown = seen.some(({ version }) => version === deployment.version)
  const rows = isKnown ? seen : [{ ...deployment, manifest: null }, ...seen]
  return (
    <>
      <Card
        isFlush
        title="Deployments"
        description="The newest serves. Earlier ones are listed as far as this browser has seen them published."
      >
        {isPending ? (
          <Loading />
        ) : (
          <Table
            caption="Deployments"
            columns={columns(deployment.version)}
            rows={rows}
            rowKey={({ version }) => String(version)}
          />
        )}
      </Card>
      {error && (
        <Notice kind="warn">
          What is deployed cannot be compared, because it is not published:{' '}
          {error instanceof ApiError ? error.message : 'the manifest could not be read.'}
        </Notice>
      )}
      <CompareCard key={seen.length} seen={seen} />
    </>
  )
}

type Row = Omit<SeenDeployment, 'manifest'> & { manifest: SeenDeployment['manifest'] | null }

function columns(serving: number): Column<Row>[] {
  return [
    { heading: 'Version', cell: ({ version }) => <span className="font-medium">v{version}</span> },
    {
      heading: 'State',
      cell: ({ version }) => (version === serving ? <Badge tone="ok">active</Badge> : <Badge>superseded</Badge>),
    },
    { heading: 'Deployed', cell: ({ deployedAt }) => <Ago at={deployedAt} /> },
    { heading: 'Capabilities', isNumber: true, cell: ({ manifest }) => manifest?.capabilities.length ?? '–' },
  ]
}
