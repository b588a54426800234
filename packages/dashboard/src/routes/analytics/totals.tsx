import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { formatCount, formatDuration } from '../../ui/format.ts'

/** The figures of the whole range. */
export function Totals({ totals }: { totals: Schemas['AnalyticsSummary']['totals'] }): ReactNode {
  const { executions, completed, failed } = totals
  const ended = completed + failed
  const tiles = [
    [
      'Executions',
      formatCount(executions),
      `${formatCount(totals.capabilityCalls)} capability calls, ${formatCount(totals.failedCalls)} failed, ${formatCount(totals.unknownCalls)} unknown`,
    ],
    [
      'Failed',
      formatCount(failed),
      ended === 0 ? 'none ended' : `${((failed / ended) * 100).toFixed(1)} % of those that ended`,
    ],
    ['Half took less than', formatDuration(totals.p50DurationMs), `${formatDuration(totals.avgDurationMs)} on average`],
    ['95 % took less than', formatDuration(totals.p95DurationMs), 'the slow end'],
    [
      'Tokens',
      formatCount(totals.totalTokens),
      `${formatCount(totals.inputTokens)} in, ${formatCount(totals.outputTokens)} out`,
    ],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
      {tiles.map(([name, value, note]) => (
        <div key={name} className="rounded-lg border border-line bg-surface p-4">
          <dt className="text-xs font-medium text-muted">{name}</dt>
          <dd className="mt-1 text-xl font-semibold tabular-nums">{value}</dd>
          <dd className="mt-0.5 text-xs text-muted">{note}</dd>
        </div>
      ))}
    </dl>
  )
}
