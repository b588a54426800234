import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { summaryQuery, usageQuery } from '../../api/queries.ts'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { useHour } from '../../ui/now.ts'
import { ShareBar } from '../../ui/share-bar.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Change, Stat, Stats } from '../../ui/stat.tsx'
import { requestBefore, requestFor } from '../analytics/ranges.ts'
import { sharesOf } from '../analytics/shares.ts'

interface TodayProps {
  projectId?: string | undefined
  runtimeId?: string | undefined
}

const RENEW_MS = 30_000

/** Traffic, failures and times of the last 24 hours beside the 24 before, and what is left of the quota. */
export function Today(place: TodayProps): ReactNode {
  const request = requestFor('24h', useHour())
  const { data: now } = useQuery({ ...summaryQuery({ ...request, ...place }), refetchInterval: RENEW_MS })
  const { data: before } = useQuery(summaryQuery({ ...requestBefore(request), ...place }))
  const { data: usage } = useQuery(usageQuery)
  const past = before?.range.clamped === false ? before.totals : null
  const { executions = 0, failed = 0, p95DurationMs = null, p50DurationMs = null } = now?.totals ?? {}
  const series = now?.series ?? []
  return (
    <Stats>
      <Stat
        label="Executions, 24 h"
        value={formatCount(executions)}
        change={<Change now={executions} before={past?.executions ?? null} better="more" />}
      >
        <Sparkline
          label={`Executions per hour, the last 24 hours. ${formatCount(failed)} failed.`}
          values={series.map((point) => point.executions)}
          marked={series.map((point) => point.failed)}
        />
      </Stat>
      <Stat
        label="Failure rate"
        value={now ? sharesOf(now.totals).failed : '–'}
        tone={failed > 0 ? 'bad' : undefined}
        note={
          <Link to="/executions" search={{ status: 'failed', ...given(place.runtimeId) }} className="hover:underline">
            {formatCount(failed)} failed
          </Link>
        }
      >
        <Sparkline
          label="Failed executions per hour, the last 24 hours."
          values={series.map((point) => point.failed)}
          marked={series.map((point) => point.failed)}
        />
      </Stat>
      <Stat
        label="p95 latency"
        value={formatDuration(p95DurationMs)}
        change={<Change now={p95DurationMs} before={past?.p95DurationMs ?? null} better="less" />}
        note={`p50 ${formatDuration(p50DurationMs)}`}
      >
        <Sparkline
          label="p95 latency per hour, the last 24 hours."
          values={series.map((point) => point.p95DurationMs ?? 0)}
        />
      </Stat>
      <Stat
        label="Quota left"
        value={
          usage ? (usage.executions.available === null ? 'Unlimited' : formatCount(usage.executions.available)) : '–'
        }
        note={
          <Link to="/billing" className="hover:underline">
            {usage?.executions.burst == null ? 'Plan and usage' : `of ${formatCount(usage.executions.burst)}`}
          </Link>
        }
      >
        {usage?.executions.available != null && usage.executions.burst != null && (
          <ShareBar share={usage.executions.available / usage.executions.burst} />
        )}
      </Stat>
    </Stats>
  )
}

function given(runtimeId: string | undefined): { runtimeId?: string } {
  return runtimeId === undefined ? {} : { runtimeId }
}
