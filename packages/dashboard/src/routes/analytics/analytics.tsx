import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runtimesQuery, summaryQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { useHour } from '../../ui/now.ts'
import { Page } from '../../ui/page.tsx'
import { usePrices } from '../cost.ts'
import { Breakdowns } from './breakdowns.tsx'
import { Charts } from './charts.tsx'
import { FailureCauses } from './failure-causes.tsx'
import { RangeNote } from './range-note.tsx'
import { RangePicker } from './range-picker.tsx'
import { requestBefore, requestFor } from './ranges.ts'
import { Totals } from './totals.tsx'

/** Figures over time, for all runtimes, those of a project, or one. */
export function Analytics(): ReactNode {
  const { range = '7d', runtimeId } = useSearch({ from: '/app/session/analytics' })
  const { project: projectId } = useSearch({ from: '/app' })
  const { data: runtimes } = useQuery(runtimesQuery())
  const prices = usePrices()
  const place = { projectId, runtimeId }
  const request = { ...requestFor(range, useHour()), ...place }
  const { data, error, isPending, refetch } = useQuery({ ...summaryQuery(request), placeholderData: keepPreviousData })
  const { from = request.from, to, clamped = true } = data?.range ?? {}
  const before = requestBefore({ ...request, from }, Date.parse(to ?? from))
  const { data: past } = useQuery({ ...summaryQuery(before), enabled: !clamped })
  const compared = !clamped && past?.range.clamped === false && past.totals.executions > 0 ? past.totals : null
  const names = new Map(runtimes?.map((runtime) => [runtime.runtimeId, runtime.name]))
  return (
    <Page title="Analytics" description="Traffic, failures, latency and tokens." actions={<RangePicker />}>
      {error && !data && <LoadError error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {data && (
        <>
          <RangeNote range={data.range} isCompared={compared !== null} />
          <Totals totals={data.totals} past={compared} prices={prices} />
          {data.totals.executions === 0 ? (
            <Card>
              <Empty picture="bars" title="No executions in this range">
                Choose a longer range, or ask a question under “Try it” of a runtime.
              </Empty>
            </Card>
          ) : (
            <>
              <Charts summary={data} />
              <FailureCauses place={{ ...place, from: data.range.from }} failed={data.totals.failed} />
              <Breakdowns summary={data} names={names} />
            </>
          )}
        </>
      )}
    </Page>
  )
}
