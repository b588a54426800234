import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { ExecutionBadge } from '../../ui/badge.tsx'
import { formatDuration } from '../../ui/format.ts'
import type { Column } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'

type Execution = Schemas['ExecutionSummary']

export const EXECUTION: Column<Execution> = {
  heading: 'Execution',
  cell: ({ executionId }) => (
    <Link
      to="/executions/$executionId"
      params={{ executionId }}
      className="font-mono text-[13px] font-medium whitespace-nowrap underline-offset-2 hover:underline"
    >
      {shorten(executionId)}
    </Link>
  ),
}

export const STATUS: Column<Execution> = {
  heading: 'Status',
  cell: ({ status, failedCalls, unknownCalls }) => (
    <ExecutionBadge status={status} failedCalls={failedCalls} unknownCalls={unknownCalls} />
  ),
}

export const TOOK: Column<Execution> = {
  heading: 'Took',
  isNumber: true,
  isExtra: true,
  cell: ({ durationMs }) => formatDuration(durationMs),
}

export const STARTED: Column<Execution> = { heading: 'Started', cell: ({ startedAt }) => <Ago at={startedAt} /> }

// The beginning is the time, nearly the same for neighbours; the end tells them apart.
function shorten(id: string): string {
  return id.length > 16 ? `${id.slice(0, 5)}…${id.slice(-8)}` : id
}
