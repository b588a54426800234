import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { executionsQuery, isTooLongForLive, runtimesQuery } from '../../api/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EarlierButton } from '../../ui/earlier-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { usePrices } from '../cost.ts'
import { WaitingApprovals } from './approval-cards.tsx'
import { endOfDay, startOfDay } from './day-range.ts'
import { costColumn, durationColumn, EXECUTION, SOURCE, STARTED, STATUS, TOKENS } from './execution-columns.tsx'
import { nameOf } from './execution-name.ts'
import { Filters } from './filters.tsx'
import { LiveSwitch } from './live-switch.tsx'
import { Views } from './views.tsx'

type Execution = Schemas['ExecutionSummary']

/** What ran and what runs, newest first. The filters stand in the address. */
export function Executions(): ReactNode {
  const { status, calls, runtimeId, from, to } = useSearch({ from: '/app/session/executions' })
  const { project: projectId } = useSearch({ from: '/app' })
  const [isLive, setLive] = useState(true)
  const [sought, seek] = useState('')
  const filters = { status, calls, runtimeId, projectId, from: from && startOfDay(from), to: to && endOfDay(to) }
  const list = useInfiniteQuery(executionsQuery(filters, isLive))
  const loaded = list.data?.pages.flatMap(({ executions }) => executions) ?? []
  const rows = loaded.filter((execution) => isMatch(execution, sought))
  const columns = useColumns(rows)
  return (
    <Page
      title="Executions"
      description="Chats and calls, the newest first."
      actions={
        <LiveSwitch
          isLive={isLive}
          isPaused={isTooLongForLive(list.data?.pages)}
          isOffline={list.data !== undefined && (list.isPaused || list.failureCount > 0 || list.isError)}
          updatedAt={list.dataUpdatedAt}
          onChange={setLive}
        />
      }
    >
      <WaitingApprovals isLive={isLive} />
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Views />
          <Search sought={sought} onChange={seek} />
        </div>
        <Filters />
      </div>
      {list.error && !list.data && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
      <Card isFlush>
        {list.isPending && <Loading rows={6} />}
        {list.data && rows.length === 0 && (
          <NothingFound
            isFiltered={Object.values(filters).some((filter) => filter !== undefined)}
            searched={sought.trim() === '' ? null : loaded.length}
          />
        )}
        {rows.length > 0 && (
          <Table
            caption="Executions"
            columns={columns}
            rows={rows}
            rowKey={({ executionId }) => executionId}
            hasRowLinks
          />
        )}
      </Card>
      <EarlierButton list={list} />
    </Page>
  )
}

function isMatch(execution: Execution, sought: string): boolean {
  const words = sought.trim().toLowerCase()
  return `${execution.executionId} ${nameOf(execution)}`.toLowerCase().includes(words)
}

/** Narrows the loaded rows; a whole id leads to its execution, however old it is. */
function Search({ sought, onChange }: { sought: string; onChange: (sought: string) => void }): ReactNode {
  const navigate = useNavigate()
  return (
    <form
      aria-label="Search"
      className="w-full sm:w-80"
      onSubmit={(event) => {
        event.preventDefault()
        const executionId = sought.trim()
        if (/^exec_\w+$/.test(executionId)) void navigate({ to: '/executions/$executionId', params: { executionId } })
      }}
    >
      <TextField
        label="Search"
        isLabelHidden
        type="search"
        placeholder="Capability, or execution id and Enter"
        value={sought}
        onChange={(event) => onChange(event.target.value)}
      />
    </form>
  )
}

function NothingFound({ isFiltered, searched }: { isFiltered: boolean; searched: number | null }): ReactNode {
  if (searched !== null && searched > 0) {
    return (
      <Empty picture="rows" title="No match">
        None of the {formatCount(searched)} loaded executions matches. Load more, or paste a whole id and press Enter.
      </Empty>
    )
  }
  return isFiltered ? (
    <Empty
      picture="rows"
      title="No executions match these filters"
      action={<LinkButton to="/executions">Clear the filters</LinkButton>}
    />
  ) : (
    <Empty picture="rows" title="No executions yet">
      Ask a question under “Try it” of a runtime, or from your page. It appears here at once.
    </Empty>
  )
}

function useColumns(rows: readonly Execution[]): Column<Execution>[] {
  const { data: runtimes = [] } = useQuery(runtimesQuery())
  const prices = usePrices()
  const names = new Map(runtimes.map((runtime) => [runtime.runtimeId, runtime.name]))
  const runtime: Column<Execution> = {
    heading: 'Runtime',
    isExtra: 'wide',
    cell: ({ runtimeId }) => (
      <span className="block max-w-44 min-w-24 [overflow-wrap:anywhere]">{names.get(runtimeId) ?? runtimeId}</span>
    ),
  }
  return [
    EXECUTION,
    STATUS,
    // With a single runtime its name says nothing.
    ...(runtimes.length > 1 ? [runtime] : []),
    SOURCE,
    TOKENS,
    ...(prices ? [costColumn(prices)] : []),
    durationColumn(rows),
    STARTED,
  ]
}
