import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { failuresQuery, runtimesQuery } from '../../api/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { When } from '../../ui/time.tsx'
import { nameOf } from '../executions/execution-name.ts'

const SHOWN = 5
const RENEW_MS = 15_000

/** The newest failed executions, each with its cause. */
export function LastFailures(place: { projectId?: string | undefined; runtimeId?: string | undefined }): ReactNode {
  const { data } = useQuery({ ...failuresQuery(place, SHOWN), refetchInterval: RENEW_MS })
  const { runtimeId } = place
  const { data: runtimes = [] } = useQuery(runtimesQuery())
  // With a single runtime its name says nothing.
  const names = new Map(
    runtimeId === undefined && runtimes.length > 1 ? runtimes.map((one) => [one.runtimeId, one.name]) : [],
  )
  return (
    <Card
      title="Last failures"
      isFlush
      actions={
        <LinkButton
          size="small"
          to="/executions"
          search={{ status: 'failed', ...(runtimeId !== undefined && { runtimeId }) }}
        >
          View all
        </LinkButton>
      }
    >
      {data?.executions.length === 0 && <p className="px-5 pb-5 text-sm text-muted">No execution has failed.</p>}
      <ul className="divide-y divide-line">
        {data?.executions.map((execution) => (
          <li key={execution.executionId}>
            <Link
              to="/executions/$executionId"
              params={{ executionId: execution.executionId }}
              className="flex items-baseline justify-between gap-4 px-5 py-2.5 text-sm hover:bg-subtle/60"
            >
              <span className="min-w-0">
                <span className="block font-medium [overflow-wrap:anywhere]">
                  {nameOf(execution)} <span className="font-normal text-muted">{names.get(execution.runtimeId)}</span>
                </span>
                <span className="block text-muted [overflow-wrap:anywhere]">{execution.error?.message}</span>
              </span>
              <span className="shrink-0 text-xs text-muted">
                <When at={execution.startedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
