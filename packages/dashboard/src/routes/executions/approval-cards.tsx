import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { pendingApprovalsQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { formatTime } from '../../ui/format.ts'
import { LoadError } from '../../ui/notice.tsx'
import { Preview } from '../../ui/preview.tsx'

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
    >
      <ul className="flex flex-col gap-4">
        {approvals.map((approval) => (
          <li key={approval.approvalId}>
            <ApprovalFacts approval={approval}>
              <Link
                to="/executions/$executionId"
                params={{ executionId: approval.executionId }}
                className="text-accent underline underline-offset-2"
              >
                View execution
              </Link>
            </ApprovalFacts>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function ApprovalFacts({ approval, children }: { approval: Approval; children?: ReactNode }): ReactNode {
  const { preview, capability, status, expiresAt, decidedAt } = approval
  return (
    <div className="flex flex-col gap-1">
      <Preview {...preview}>
        <StateBadge state={status} />
        {children}
      </Preview>
      <p className="text-sm text-muted">
        <code className="text-ink">{capability}</code>,{' '}
        {decidedAt === null ? `expires ${formatTime(expiresAt)}` : formatTime(decidedAt)}
      </p>
    </div>
  )
}
