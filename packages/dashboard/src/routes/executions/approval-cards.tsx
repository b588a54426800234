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
    <Card title="Approvals" description="What a person was asked to approve, and the decision.">
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

/** What waits for a person now, on all runtimes; nothing where nothing does. */
export function WaitingApprovals({ isLive }: { isLive: boolean }): ReactNode {
  const { data, error, refetch } = useQuery(pendingApprovalsQuery(isLive))
  if (error) return <LoadError error={error} onRetry={() => void refetch()} />
  if (!data || data.approvals.length === 0) return null
  const { approvals, nextCursor } = data
  return (
    <Card
      title="Waiting for approval"
      description={`${approvals.length}${nextCursor === null ? '' : ' or more'} of the calls below wait for the person who asked.`}
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
                Execution
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
        {decidedAt === null ? `until ${formatTime(expiresAt)}` : formatTime(decidedAt)}
      </p>
    </div>
  )
}
