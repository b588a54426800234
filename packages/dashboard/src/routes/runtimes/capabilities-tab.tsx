import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { deploymentQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { NotDeployed } from './not-deployed.tsx'
import { SchemaView } from './schema-view.tsx'
import { useRuntime } from './use-runtime.ts'

type Capability = Schemas['RuntimeDetail']['capabilities'][number]
type Deployed = Schemas['DeploymentDetail']['manifest']['capabilities'][number]

/** What the runtime can do, with the schemas of its serving deployment. */
export function CapabilitiesTab(): ReactNode {
  const { runtimeId, capabilities, deployment } = useRuntime()
  if (!deployment || capabilities.length === 0) {
    return (
      <NotDeployed runtimeId={runtimeId} title="No capabilities yet">
        Deploy your project: its capabilities appear here with their inputs and outputs.
      </NotDeployed>
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
  const deployed = new Map(data?.manifest.capabilities.map((one) => [one.name, one]))
  return (
    <>
      {capabilities.length > 3 && <Index capabilities={capabilities} />}
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {capabilities.map((capability) => (
        <CapabilityCard
          key={capability.name}
          capability={capability}
          deployed={deployed.get(capability.name)}
          isLoading={isPending}
        />
      ))}
    </>
  )
}

/** Links to the cards of the capabilities, in their order. */
function Index({ capabilities }: Pick<CapabilitiesProps, 'capabilities'>): ReactNode {
  return (
    <nav aria-label="Capabilities" className="rounded-lg border border-line bg-surface px-5 py-4">
      <ul className="grid gap-x-6 gap-y-1.5 sm:grid-cols-2 lg:grid-cols-3">
        {capabilities.map(({ name, effect }) => (
          <li key={name} className="flex items-baseline justify-between gap-2 text-sm">
            <a
              href={`#${name}`}
              className="min-w-0 truncate font-mono text-[13px] text-accent hover:underline"
              title={name}
            >
              {name}
            </a>
            <span className={effect === 'destructive' ? 'text-xs text-warn' : 'text-xs text-muted'}>{effect}</span>
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface CapabilityCardProps {
  capability: Capability
  deployed: Deployed | undefined
  isLoading: boolean
}

function CapabilityCard({ capability, deployed, isLoading }: CapabilityCardProps): ReactNode {
  const { inputSchema, outputSchema } = deployed?.actions[0] ?? {}
  const { name, version, description, requiresEndUser, deprecated, hasInputSchema, effect, confirm } = capability
  return (
    <Card
      id={name}
      title={name}
      description={description}
      actions={
        <div className="flex flex-wrap gap-1.5">
          <Badge>v{version}</Badge>
          <Badge tone={effect === 'destructive' ? 'warn' : 'neutral'}>{effect}</Badge>
          {confirm && <Badge tone="accent">needs approval</Badge>}
          {requiresEndUser && <Badge tone="accent">needs a signed-in user</Badge>}
          {deprecated && <Badge tone="warn">deprecated</Badge>}
          {!hasInputSchema && <Badge tone="warn">no input schema</Badge>}
        </div>
      }
    >
      {isLoading && <Loading rows={2} className="p-0" />}
      {!isLoading && !hasInputSchema && (
        <p className="text-sm text-muted">The model is told that this capability takes no input.</p>
      )}
      {deployed && <Particulars deployed={deployed} />}
      {(inputSchema || outputSchema) && (
        <div className={classNames('grid gap-5', inputSchema && outputSchema && 'lg:grid-cols-2')}>
          {inputSchema && <SchemaView title="Input" schema={inputSchema} />}
          {outputSchema && <SchemaView title="Output" schema={outputSchema} />}
        </div>
      )}
    </Card>
  )
}

/** Texts that its owner wrote for readers. */
function Particulars({ deployed: { actions, metadata } }: { deployed: Deployed }): ReactNode {
  const { description, permissions = [] } = actions[0] ?? {}
  return (
    <>
      {description && <p className="mb-3 text-sm">{description}</p>}
      {permissions.length > 0 && <p className="mb-3 text-sm text-muted">Permissions: {permissions.join(', ')}</p>}
      {metadata && <CodeBlock text={JSON.stringify(metadata, null, 2)} label="Copy the metadata" />}
    </>
  )
}
