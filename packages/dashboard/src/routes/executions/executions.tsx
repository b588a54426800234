import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { executionsQuery, isTooLongForLive, runtimesQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { EarlierButton } from '../../ui/earlier-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { WaitingApprovals } from './approval-cards.tsx'
import { endOfDay, startOfDay } from './day-range.ts'
import { EXECUTION, STARTED, STATUS, TOOK } from './execution-columns.tsx'
import { Filters } from './filters.tsx'
import { LiveSwitch } from './live-switch.tsx'

type Execution = Schemas['ExecutionSummary']

/** What ran and what runs, newest first. The filters stand in the address. */
export function Executions(): ReactNode {
  const { status, calls, runtimeId, from, to } = useSearch({ from: '/app/executions' })
  const { project: projectId } = useSearch({ from: '/app' })
  const [isLive, setLive] = useState(true)
  const { data: runtimes } = useQuery(runtimesQuery())
  const filters = { status, calls, runtimeId, projectId, from: from && startOfDay(from), to: to && endOfDay(to) }
  const list = useInfiniteQuery(executionsQuery(filters, isLive))
  const rows = list.data?.pages.flatMap(({ executions }) => executions) ?? []
  const names = new Map(runtimes?.map((runtime) => [runtime.runtimeId, runtime.name]))
  return (
    <Page
      title="Executions"
      description="Each question, each call, and what came of it."
      actions={<LiveSwitch isLive={isLive} isPaused={isTooLongForLive(list.data?.pages)} onChange={setLive} />}
    >
      <WaitingApprovals isLive={isLive} />
      <Filters />
      {list.error && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
      <Card isFlush>
        {list.isPending && <Loading rows={6} />}
        {list.data && rows.length === 0 && (
          <NothingFound isFiltered={Object.values(filters).some((filter) => filter !== undefined)} />
        )}
        {rows.length > 0 && (
          <Table caption="Executions" columns={columns(names)} rows={rows} rowKey={({ executionId }) => executionId} />
        )}
      </Card>
      <EarlierButton list={list} />
    </Page>
  )
}

function NothingFound({ isFiltered }: { isFiltered: boolean }): ReactNode {
  return isFiltered ? (
    <Empty icon={Activity} title="Nothing matches these filters" />
  ) : (
    <Empty icon={Activity} title="Nothing ran yet">
      Ask a runtime something under “Try it”, or from your page. It shows up here by itself.
    </Empty>
  )
}

function columns(names: ReadonlyMap<string, string>): Column<Execution>[] {
  return [
    EXECUTION,
    STATUS,
    {
      heading: 'Runtime',
      isExtra: true,
      cell: ({ runtimeId }) => <RuntimeName name={names.get(runtimeId) ?? runtimeId} />,
    },
    { heading: 'Finished by', isExtra: true, cell: ({ finishReason }) => finishReason ?? '–' },
    { heading: 'Calls', isNumber: true, isExtra: true, cell: ({ capabilityCalls }) => capabilityCalls },
    TOOK,
    STARTED,
  ]
}

function RuntimeName({ name }: { name: string }): ReactNode {
  return (
    <span className="block max-w-44 truncate" title={name}>
      {name}
    </span>
  )
}
