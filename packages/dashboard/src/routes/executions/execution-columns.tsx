import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { ExecutionBadge } from '../../ui/badge.tsx'
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts'
import type { Column } from '../../ui/table.tsx'
import { When } from '../../ui/time.tsx'
import { costOf, type ModelPrices } from '../cost.ts'
import { nameOf, sourceOf } from './execution-name.ts'

type Execution = Schemas['ExecutionSummary']

export const EXECUTION: Column<Execution> = {
  heading: 'Execution',
  cell: (execution) => (
    <Link
      to="/executions/$executionId"
      params={{ executionId: execution.executionId }}
      className="group block min-w-0 md:min-w-36"
    >
      <span className="block font-medium underline-offset-2 [overflow-wrap:anywhere] group-hover:underline">
        {nameOf(execution)}
      </span>{' '}
      <span className="block font-mono text-xs whitespace-nowrap text-muted">{shorten(execution.executionId)}</span>
      <span className="block text-xs text-muted md:hidden">
        <When at={execution.startedAt} />
      </span>
    </Link>
  ),
}

export const STATUS: Column<Execution> = {
  heading: 'Status',
  cell: ({ status, failedCalls, unknownCalls, error }) => (
    <span className="block max-w-52">
      <ExecutionBadge status={status} failedCalls={failedCalls} unknownCalls={unknownCalls} />
      {error && (
        <span className="mt-0.5 line-clamp-2 text-xs text-muted max-md:hidden" title={error.message}>
          {error.message}
        </span>
      )}
    </span>
  ),
}

export const SOURCE: Column<Execution> = { heading: 'Source', isExtra: 'wide', cell: sourceOf }

export const TOKENS: Column<Execution> = {
  heading: 'Tokens',
  isNumber: true,
  isExtra: true,
  cell: ({ totalTokens, kind }) => (kind === 'execute' ? formatCount(totalTokens) : '–'),
}

export function costColumn(prices: ModelPrices): Column<Execution> {
  return {
    heading: 'Cost',
    isNumber: true,
    isExtra: 'wide',
    cell: (execution) => (execution.kind === 'execute' ? formatCost(costOf(execution, prices)) : '–'),
  }
}

export const DURATION: Column<Execution> = {
  heading: 'Duration',
  isNumber: true,
  isExtra: true,
  cell: ({ durationMs }) => formatDuration(durationMs),
}

/** The duration, with a bar as long as it is beside the longest of the list. */
export function durationColumn(rows: readonly Execution[]): Column<Execution> {
  const longest = Math.max(1, ...rows.map(({ durationMs }) => durationMs ?? 0))
  return {
    ...DURATION,
    cell: ({ durationMs, status }) => (
      <span className="inline-flex flex-col items-end gap-1">
        {formatDuration(durationMs)}
        <svg
          viewBox="0 0 100 1"
          preserveAspectRatio="none"
          aria-hidden="true"
          className="h-1 w-16 rounded-full bg-subtle"
        >
          <rect
            width={((durationMs ?? 0) / longest) * 100}
            height="1"
            className={status === 'failed' ? 'fill-bad-fill' : 'fill-accent-fill'}
          />
        </svg>
      </span>
    ),
  }
}

export const STARTED: Column<Execution> = {
  heading: 'Started',
  isExtra: true,
  cell: ({ startedAt }) => <When at={startedAt} />,
}

// The beginning is the time, nearly the same for neighbours; the end tells them apart.
function shorten(id: string): string {
  return id.length > 16 ? `${id.slice(0, 5)}…${id.slice(-8)}` : id
}
