import { useQuery } from '@tanstack/react-query'
import { Puzzle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { deploymentQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { SchemaView } from './schema-view.tsx'
import { useRuntime } from './use-runtime.ts'

type Capability = Schemas['RuntimeDetail']['capabilities'][number]
type Schema = Readonly<Record<string, unknown>>

/** What the runtime can do, with the schemas of its serving deployment. */
export function CapabilitiesTab(): ReactNode {
  const { runtimeId, capabilities, deployment } = useRuntime()
  if (!deployment || capabilities.length === 0) {
    return (
      <Card>
        <Empty icon={Puzzle} title="No capabilities">
          They come with a deployment: what was not deployed cannot be called.
        </Empty>
      </Card>
    )
  }
  return <Capabilities runtimeId={runtimeId} capabilities={capabilities} version={deployment.version} />
}

interface CapabilitiesProps {
  runtimeId: string
  capabilities: readonly Capability[]
  version: number
}

function Capabilities({ runtimeId, capabilities, version }: CapabilitiesProps): ReactNode {
  const { data, error, isPending, refetch } = useQuery(deploymentQuery(runtimeId, version))
  const actions = new Map(data?.manifest.capabilities.map((one) => [one.name, one.actions[0]]))
  return (
    <>
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {capabilities.map((capability) => (
        <CapabilityCard
          key={capability.name}
          capability={capability}
          inputSchema={actions.get(capability.name)?.inputSchema}
          outputSchema={actions.get(capability.name)?.outputSchema}
          isLoading={isPending}
        />
      ))}
    </>
  )
}

interface CapabilityCardProps {
  capability: Capability
  inputSchema: Schema | undefined
  outputSchema: Schema | undefined
  isLoading: boolean
}

function CapabilityCard({ capability, inputSchema, outputSchema, isLoading }: CapabilityCardProps): ReactNode {
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
      {(inputSchema || outputSchema) && (
        <div className={classNames('grid gap-5', inputSchema && outputSchema && 'lg:grid-cols-2')}>
          {inputSchema && <SchemaView title="Input" schema={inputSchema} />}
          {outputSchema && <SchemaView title="Output" schema={outputSchema} />}
        </div>
      )}
    </Card>
  )
}
