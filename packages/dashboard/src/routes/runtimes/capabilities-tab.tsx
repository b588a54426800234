import { useQuery } from '@tanstack/react-query'
import { Puzzle } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { manifestQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SchemaView } from './schema-view.tsx'
import { useRuntime } from './use-runtime.ts'

type Capability = Schemas['RuntimeDetail']['capabilities'][number]
type Published = Schemas['DiscoveryCapability']

/** What the runtime can do. Schemas are read where they are published: in its manifest. */
export function CapabilitiesTab(): ReactNode {
  const { runtimeId, capabilities, deployment } = useRuntime()
  const manifest = useQuery({ ...manifestQuery(runtimeId), enabled: deployment !== null })
  if (capabilities.length === 0) {
    return (
      <Card>
        <Empty icon={Puzzle} title="No capabilities">
          They come with a deployment: what was not deployed cannot be called.
        </Empty>
      </Card>
    )
  }
  const published = new Map(manifest.data?.capabilities.map((one) => [one.invocationName, one]))
  return (
    <>
      {manifest.error && (
        <Notice kind="warn">
          Schemas are shown from the manifest, which is not published:{' '}
          {manifest.error instanceof ApiError ? manifest.error.message : 'it could not be read.'}
        </Notice>
      )}
      {capabilities.map((capability) => (
        <CapabilityCard
          key={capability.name}
          capability={capability}
          published={published.get(capability.name)}
          isLoading={manifest.isLoading}
        />
      ))}
    </>
  )
}

interface CapabilityCardProps {
  capability: Capability
  published: Published | undefined
  isLoading: boolean
}

function CapabilityCard({ capability, published, isLoading }: CapabilityCardProps): ReactNode {
  const { name, version, description, requiresEndUser, deprecated, hasInputSchema } = capability
  return (
    <Card
      title={name}
      description={description}
      actions={
        <div className="flex flex-wrap gap-1.5">
          <Badge>v{version}</Badge>
          {requiresEndUser && <Badge tone="accent">needs an end user</Badge>}
          {deprecated && <Badge tone="warn">deprecated</Badge>}
          {!hasInputSchema && <Badge tone="warn">no input schema</Badge>}
        </div>
      }
    >
      {isLoading && <Loading rows={2} className="p-0" />}
      {!isLoading && !hasInputSchema && (
        <p className="text-sm text-muted">The model is told that it takes no parameters.</p>
      )}
      {published && (
        <div className="grid gap-5 lg:grid-cols-2">
          {published.inputSchema && <SchemaView title="Input" schema={published.inputSchema} />}
          {published.outputSchema && <SchemaView title="Output" schema={published.outputSchema} />}
        </div>
      )}
    </Card>
  )
}
