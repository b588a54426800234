import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { pendingApprovalsQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatAmount, formatTime } from '../../ui/format.ts'
import { LoadError } from '../../ui/notice.tsx'
import { Preview } from '../../ui/preview.tsx'
import { Expires } from '../../ui/time.tsx'

type Approval = Schemas['TracedApproval']

/** The calls of one execution for which a person was asked. */
export function ExecutionApprovals({ approvals }: { approvals: readonly Approval[] }): ReactNode {
  if (approvals.length === 0) return null
  return (
    <Card title="Approvals" description="What the end user was asked to approve, and the decision.">
      <ul className="flex flex-col gap-4">
        {approvals.map((approval) => (
          <li key={approval.approvalId}>
            <ApprovalFacts approval={approval} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** What waits for a person now, on all runtimes or one; nothing where nothing does. */
export function WaitingApprovals({ isLive, runtimeId }: { isLive: boolean; runtimeId?: string }): ReactNode {
  const { data, error, refetch } = useQuery(pendingApprovalsQuery(isLive))
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />
  const nextCursor = data?.nextCursor ?? null
  const approvals = data?.approvals.filter((one) => runtimeId === undefined || one.runtimeId === runtimeId) ?? []
  if (approvals.length === 0) return null
  return (
    <Card
      title="Waiting for approval"
      description={`${approvals.length}${nextCursor === null ? '' : ' or more'} ${approvals.length === 1 ? 'call waits' : 'calls wait'} until the end user decides.`}
      isFlush
    >
      <ul className="divide-y divide-line border-t border-line">
        {approvals.map((approval) => (
          <WaitingRow key={approval.approvalId} approval={approval} />
        ))}
      </ul>
    </Card>
  )
}

function WaitingRow({ approval }: { approval: Approval & { executionId: string } }): ReactNode {
  const { executionId, capability, expiresAt } = approval
  const { title, lines = [], amount } = approval.preview
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-5 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {title}
          </span>
          <code className="text-xs text-muted">{capability}</code>
        </p>
        {lines.length > 0 && (
          <p dir="auto" className="truncate text-muted" title={lines.join('\n')}>
            {lines.join(' · ')}
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {amount && <span className="font-semibold tabular-nums">{formatAmount(amount)}</span>}
        <span className="text-muted tabular-nums sm:w-40 sm:text-right">
          <Expires at={expiresAt} />
        </span>
        <LinkButton size="small" to="/executions/$executionId" params={{ executionId }}>
          View execution
        </LinkButton>
      </div>
    </li>
  )
}

function ApprovalFacts({ approval }: { approval: Approval }): ReactNode {
  const { preview, capability, status, expiresAt, decidedAt } = approval
  return (
    <div className="flex flex-col gap-1">
      <Preview {...preview}>
        <StateBadge state={status} />
      </Preview>
      <p className="text-sm text-muted">
        <code className="text-ink">{capability}</code>,{' '}
        {status === 'pending' ? <Expires at={expiresAt} /> : formatTime(decidedAt ?? expiresAt)}
      </p>
    </div>
  )
}
