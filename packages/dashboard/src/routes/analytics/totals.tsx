import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts'
import { Change, Stat, Stats } from '../../ui/stat.tsx'
import { costOf, type ModelPrices } from '../cost.ts'
import { sharesOf } from './shares.ts'

type Figures = Schemas['AnalyticsSummary']['totals']

interface TotalsProps {
  totals: Figures
  /** Those of the same time before; null where the plan does not look back that far. */
  past: Figures | null
  prices: ModelPrices | null
}

/** The figures of the whole range, beside those of the time before. */
export function Totals({ totals, past, prices }: TotalsProps): ReactNode {
  const { executions, failed, capabilityCalls, failedCalls, unknownCalls, p50DurationMs, p95DurationMs } = totals
  const shares = sharesOf(totals)
  return (
    <Stats>
      <Stat
        label="Executions"
        value={formatCount(executions)}
        change={<Change now={executions} before={past?.executions ?? null} better="more" />}
        note={`${formatCount(failed)} failed · ${shares.failed}`}
      />
      <Stat
        label="Capability calls"
        value={formatCount(capabilityCalls)}
        change={<Change now={capabilityCalls} before={past?.capabilityCalls ?? null} better="more" />}
        note={`${formatCount(failedCalls)} failed · ${formatCount(unknownCalls)} unknown`}
      />
      <Stat
        label="p95 latency"
        value={formatDuration(p95DurationMs)}
        change={<Change now={p95DurationMs} before={past?.p95DurationMs ?? null} better="less" />}
        note={`p50 ${formatDuration(p50DurationMs)}`}
      />
      <Stat
        label={prices ? 'Model cost' : 'Tokens'}
        value={prices ? formatCost(costOf(totals, prices)) : formatCount(totals.totalTokens)}
        change={<Change now={totals.totalTokens} before={past?.totalTokens ?? null} />}
        note={`${formatCount(totals.inputTokens)} tokens in · ${formatCount(totals.outputTokens)} out`}
      />
    </Stats>
  )
}
