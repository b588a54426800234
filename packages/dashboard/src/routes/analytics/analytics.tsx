import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ChartNoAxesColumn } from 'lucide-react'
import type { ReactNode } from 'react'
import { runtimesQuery, summaryQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { useHour } from '../../ui/now.ts'
import { Page } from '../../ui/page.tsx'
import { Breakdowns } from './breakdowns.tsx'
import { Charts } from './charts.tsx'
import { RangeNote } from './range-note.tsx'
import { RangePicker } from './range-picker.tsx'
import { requestFor } from './ranges.ts'
import { Totals } from './totals.tsx'

/** Figures over time, for all runtimes, those of a project, or one. */
export function Analytics(): ReactNode {
  const { range = '7d', runtimeId } = useSearch({ from: '/app/analytics' })
  const { project: projectId } = useSearch({ from: '/app' })
  const { data: runtimes } = useQuery(runtimesQuery())
  const request = { ...requestFor(range, useHour()), projectId, runtimeId }
  const { data, error, isPending, refetch } = useQuery({ ...summaryQuery(request), placeholderData: keepPreviousData })
  const names = new Map(runtimes?.map((runtime) => [runtime.runtimeId, runtime.name]))
  return (
    <Page title="Analytics" description="What ran, how well, how fast, and what it used.">
      <RangePicker />
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {data && (
        <>
          <RangeNote range={data.range} />
          <Totals totals={data.totals} />
          {data.totals.executions === 0 ? (
            <Card>
              <Empty icon={ChartNoAxesColumn} title="Nothing ran in this time">
                Choose a longer range, or ask a runtime something.
              </Empty>
            </Card>
          ) : (
            <>
              <Charts summary={data} />
              <Breakdowns summary={data} names={names} />
            </>
          )}
        </>
      )}
    </Page>
  )
}
