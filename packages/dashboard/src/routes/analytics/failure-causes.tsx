import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { type ExecutionFilters, failuresQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { formatCount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { share } from './shares.ts'

type Execution = Schemas['ExecutionSummary']

const READ = 200
const SHOWN = 8

interface FailureCausesProps {
  place: Pick<ExecutionFilters, 'projectId' | 'runtimeId' | 'from'>
  /** How many failed in the range. */
  failed: number
}

/** Failed executions by what the service said of them, the most frequent first, each with its newest one. */
export function FailureCauses({ place, failed }: FailureCausesProps): ReactNode {
  const { data, error, refetch } = useQuery({ ...failuresQuery(place, READ), enabled: failed > 0 })
  if (failed === 0) return null
  const executions = data?.executions ?? []
  return (
    <Card
      title="Failures by cause"
      description={failed > READ ? `Of the newest ${READ} failed executions.` : undefined}
    >
      {error && !data && <LoadError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} className="p-0" />}
      {data && (
        <ul className="flex flex-col gap-3">
          {causesOf(executions).map(({ cause, count, newest }) => (
            <li key={cause} className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
              <Link
                to="/executions/$executionId"
                params={{ executionId: newest }}
                className="min-w-0 underline-offset-2 [overflow-wrap:anywhere] hover:underline"
              >
                {cause}
              </Link>
              <span className="text-muted tabular-nums">
                {formatCount(count)} · {share(count, executions.length)}
              </span>
              <svg
                viewBox="0 0 100 1"
                preserveAspectRatio="none"
                aria-hidden="true"
                className="col-span-2 h-1.5 w-full rounded-full bg-subtle"
              >
                <rect width={(count / executions.length) * 100} height="1" className="fill-bad-fill" />
              </svg>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

interface Cause {
  cause: string
  count: number
  /** The id of the newest execution that failed so. */
  newest: string
}

function causesOf(executions: readonly Execution[]): Cause[] {
  const causes = new Map<string, Cause>()
  for (const { error, executionId } of executions) {
    const cause = error?.message ?? 'Unknown'
    const known = causes.get(cause) ?? { cause, count: 0, newest: executionId }
    causes.set(cause, { ...known, count: known.count + 1 })
  }
  return [...causes.values()].sort((one, other) => other.count - one.count).slice(0, SHOWN)
}
