import { isOutOfReach, type McpHost, mcpAddress, mcpHosts } from '@svc/contract/mcp-hosts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { executionsQuery } from '../../api/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { Table } from '../../ui/table.tsx'
import { DURATION, EXECUTION, STARTED, STATUS } from '../executions/execution-columns.tsx'
import { useRuntime } from './use-runtime.ts'

const SHOWN_CALLS = 10

/** The runtime as an MCP server: its address, what hosts of agents are told, and the calls that came of it. */
export function ConnectTab(): ReactNode {
  const { runtimeId, name, deployment, endpoint, endUsers } = useRuntime()
  const url = mcpAddress(location.origin, runtimeId)
  return (
    <>
      {!deployment && <NotServed runtimeId={runtimeId} missing="deployment" />}
      {deployment && endpoint === null && <NotServed runtimeId={runtimeId} missing="endpoint" />}
      <Card
        title="MCP server"
        description="Agents of any host that speaks the Model Context Protocol call the capabilities of the serving deployment here, without a key."
      >
        <div className="flex flex-col gap-3">
          <CodeBlock text={url} label="the address of the MCP server" />
          {isOutOfReach(url) && (
            <Notice kind="info">
              Claude’s connectors and ChatGPT reach servers on the internet alone, not {location.origin}.
            </Notice>
          )}
          {endUsers && <p className="text-sm text-muted">Users sign in at {endUsers.issuer}.</p>}
        </div>
      </Card>
      <Card title="Connect a host">
        <Hosts hosts={mcpHosts({ title: name, url })} />
      </Card>
      <LastCalls runtimeId={runtimeId} />
    </>
  )
}

function NotServed({ runtimeId, missing }: { runtimeId: string; missing: 'deployment' | 'endpoint' }): ReactNode {
  return (
    <Notice kind="warn">
      <p>
        {missing === 'deployment'
          ? 'Nothing is deployed yet, so the address below answers 404.'
          : 'The runtime has no endpoint, so the address below answers 404.'}
      </p>
      <div className="mt-3">
        <LinkButton
          to={missing === 'deployment' ? '/runtimes/$runtimeId' : '/runtimes/$runtimeId/settings'}
          params={{ runtimeId }}
        >
          {missing === 'deployment' ? 'How to deploy' : 'Set the endpoint'}
        </LinkButton>
      </div>
    </Notice>
  )
}

function Hosts({ hosts }: { hosts: readonly McpHost[] }): ReactNode {
  const [chosen, choose] = useState<McpHost['id']>('claude-code')
  const host = hosts.find(({ id }) => id === chosen)
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <RadioGroup label="Host" options={hosts.map(({ id, name }) => [id, name])} value={chosen} onChange={choose} />
      {host && (
        <div className="min-w-0">
          <p className="mb-1.5 text-sm text-muted">{host.place}</p>
          <CodeBlock text={host.text} label={`what ${host.name} needs`} />
        </div>
      )}
    </div>
  )
}

function LastCalls({ runtimeId }: { runtimeId: string }): ReactNode {
  const { data, error, isPending, refetch } = useInfiniteQuery(executionsQuery({ runtimeId }, true))
  const executions = data?.pages[0]?.executions ?? []
  const rows = executions.filter(({ surface }) => surface === 'mcp').slice(0, SHOWN_CALLS)
  return (
    <Card
      title="Last calls over MCP"
      description={`Up to ${SHOWN_CALLS}, of the newest executions of this runtime.`}
      isFlush
    >
      {isPending && <Loading rows={3} />}
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {data && rows.length === 0 && (
        <Empty picture="rows" title="No call yet">
          Connect a host, and ask its agent for something that a capability does.
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          caption="Last calls over MCP"
          columns={[EXECUTION, STATUS, DURATION, STARTED]}
          rows={rows}
          rowKey={({ executionId }) => executionId}
        />
      )}
    </Card>
  )
}
