import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { runtimeQuery, traceQuery } from '../../api/queries.ts'
import { Badge, ExecutionBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeId } from '../../ui/code-id.tsx'
import { Facts } from '../../ui/facts.tsx'
import { capitalized, formatCost, formatCount, formatDuration, formatTime } from '../../ui/format.ts'
import { JsonView } from '../../ui/json-tree.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { useNow } from '../../ui/now.ts'
import { Page } from '../../ui/page.tsx'
import { costOf, usePrices } from '../cost.ts'
import { NotFound } from '../route-states.tsx'
import { ExecutionApprovals } from './approval-cards.tsx'
import { CallCard } from './call-card.tsx'
import { nameOf, sourceOf } from './execution-name.ts'
import { FailureNotice } from './failure-notice.tsx'
import { MessageStrip } from './message-strip.tsx'
import { layOut } from './waterfall.ts'
import { WaterfallView } from './waterfall-view.tsx'

/** All that is kept of one execution. */
export function TracePage(): ReactNode {
  const { executionId } = useParams({ from: '/app/session/executions/$executionId' })
  const { data: trace, error, refetch } = useQuery(traceQuery(executionId))
  if (error instanceof ApiError && error.code === 'not_found') return <NotFound />
  if (error && !trace) return <LoadError error={error} onRetry={() => void refetch()} />
  if (!trace) return <Loading rows={6} />
  return (
    <Page
      title={titleOf(trace)}
      parent={
        <Link to="/executions" className="underline-offset-2 hover:text-ink hover:underline">
          Executions
        </Link>
      }
      badges={
        <>
          <ExecutionBadge status={trace.status} failedCalls={trace.failedCalls} unknownCalls={trace.unknownCalls} />
          {trace.approvals.some(({ status }) => status === 'pending') && (
            <Badge tone="warn">Waiting for approval</Badge>
          )}
        </>
      }
      description={<CodeId id={executionId} label="the execution" />}
    >
      {trace.error && (
        <FailureNotice of={trace.kind === 'execute' ? 'execution' : 'call'} message={trace.error.message} />
      )}
      <Summary trace={trace} />
      {trace.durationMs === null ? (
        <RunningTimeline trace={trace} />
      ) : (
        <Timeline trace={trace} end={Date.parse(trace.startedAt) + trace.durationMs} />
      )}
      {trace.messageShape.length > 0 && (
        <Card title="Turns" description="The shape of the conversation. Message text is not stored.">
          <MessageStrip shape={trace.messageShape} />
        </Card>
      )}
      <ExecutionApprovals approvals={trace.approvals} />
      {trace.capabilityCalls.map((call) => (
        <CallCard key={call.callId} call={call} isFailureTold={isWhole(trace, call)} />
      ))}
      {trace.metadata && Object.keys(trace.metadata).length > 0 && (
        <Card title="Metadata">
          <JsonView value={trace.metadata} label="Metadata" />
        </Card>
      )}
    </Page>
  )
}

// The same name as in the list.
function titleOf({ kind, surface, capabilityCalls }: Schemas['Trace']): string {
  const capability = capabilityCalls[0]?.capability ?? null
  return nameOf({ kind, surface, capability, capabilityCalls: capabilityCalls.length })
}

// A single call is all there is of its execution, and fails with the same words.
function isWhole({ kind, error }: Schemas['Trace'], call: Schemas['TracedCall']): boolean {
  return kind !== 'execute' && error !== null && error.message === call.error?.message
}

function Summary({ trace }: { trace: Schemas['Trace'] }): ReactNode {
  const { runtimeId } = trace
  const { data: runtime } = useQuery(runtimeQuery(runtimeId))
  const prices = usePrices()
  return (
    <Card>
      <Facts
        facts={[
          [
            'Runtime',
            <Link
              key="runtime"
              to="/runtimes/$runtimeId"
              params={{ runtimeId }}
              className="text-accent underline underline-offset-2"
            >
              {runtime?.name ?? runtimeId}
            </Link>,
          ],
          ['Source', sourceOf(trace)],
          ['Deployment', trace.deploymentVersion === null ? 'None' : `v${trace.deploymentVersion}`],
          ['Finish reason', trace.finishReason ? capitalized(trace.finishReason) : 'Running'],
          ['Duration', formatDuration(trace.durationMs)],
          ['Model steps', trace.steps],
          ['Tokens', `${formatCount(trace.inputTokens)} in, ${formatCount(trace.outputTokens)} out`],
          ...(prices ? [['Model cost', formatCost(costOf(trace, prices))] as const] : []),
          ...(trace.feedback ? [['Feedback', trace.feedback === 1 ? 'Thumbs up' : 'Thumbs down'] as const] : []),
          ['Started', formatTime(trace.startedAt)],
        ]}
      />
    </Card>
  )
}

function RunningTimeline({ trace }: { trace: Schemas['Trace'] }): ReactNode {
  return <Timeline trace={trace} end={useNow()} />
}

/** `end`, epoch milliseconds: where what has no end of its own is cut off. */
function Timeline({ trace, end }: { trace: Schemas['Trace']; end: number }): ReactNode {
  const totalMs = Math.max(0, end - Date.parse(trace.startedAt))
  const bars = layOut(trace, end)
  return (
    <Card title="Timeline" description="Model steps and capability calls.">
      {bars.length === 0 ? (
        <p className="text-sm text-muted">Nothing has been recorded yet.</p>
      ) : (
        <WaterfallView bars={bars} totalMs={totalMs} />
      )}
    </Card>
  )
}
