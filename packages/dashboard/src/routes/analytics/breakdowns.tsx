import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { ExportButton } from './export-button.tsx'
import { share } from './shares.ts'

type Summary = Schemas['AnalyticsSummary']
type ByCapability = Summary['capabilities'][number]
type ByRuntime = Summary['runtimes'][number]

const TIMES = ['p50DurationMs', 'p95DurationMs'] as const
const CAPABILITY_HEADINGS = ['capability', 'calls', 'failed', 'unknown', ...TIMES] as const
const CALLS = ['failedCalls', 'unknownCalls'] as const
const RUNTIME_HEADINGS = ['runtimeId', 'executions', 'failed', ...CALLS, 'totalTokens', ...TIMES] as const

/** The same range by capability and by runtime. */
export function Breakdowns({ summary, names }: { summary: Summary; names: ReadonlyMap<string, string> }): ReactNode {
  const { capabilities, runtimes } = summary
  return (
    <div className="flex flex-col gap-6">
      <Card
        isFlush
        title="By capability"
        actions={
          <ExportButton
            file="svc-capabilities.csv"
            headings={CAPABILITY_HEADINGS}
            rows={() => capabilities.map((one) => CAPABILITY_HEADINGS.map((heading) => one[heading]))}
          />
        }
      >
        {capabilities.length === 0 ? (
          <p className="px-5 pb-5 text-sm text-muted">No capability was called in this range.</p>
        ) : (
          <Table
            caption="By capability"
            columns={CAPABILITY_COLUMNS}
            rows={capabilities}
            rowKey={({ capability }) => capability}
          />
        )}
      </Card>
      <Card
        isFlush
        title="By runtime"
        actions={
          <ExportButton
            file="svc-runtimes.csv"
            headings={RUNTIME_HEADINGS}
            rows={() => runtimes.map((one) => RUNTIME_HEADINGS.map((heading) => one[heading]))}
          />
        }
      >
        <Table
          caption="By runtime"
          columns={runtimeColumns(names)}
          rows={runtimes}
          rowKey={({ runtimeId }) => runtimeId}
        />
      </Card>
    </div>
  )
}

const PERCENTILES: readonly Column<Pick<ByRuntime, 'p50DurationMs' | 'p95DurationMs'>>[] = [
  { heading: 'p50', isNumber: true, isExtra: true, cell: ({ p50DurationMs }) => formatDuration(p50DurationMs) },
  { heading: 'p95', isNumber: true, cell: ({ p95DurationMs }) => formatDuration(p95DurationMs) },
]

const CAPABILITY_COLUMNS: readonly Column<ByCapability>[] = [
  {
    heading: 'Capability',
    cell: ({ capability }) => <code className="text-[13px] [overflow-wrap:anywhere]">{capability}</code>,
  },
  { heading: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
  { heading: 'Failure rate', isNumber: true, isExtra: true, cell: ({ failed, calls }) => share(failed, calls) },
  { heading: 'Unknown', isNumber: true, isExtra: true, cell: ({ unknown }) => formatCount(unknown) },
  ...PERCENTILES,
]

function runtimeColumns(names: ReadonlyMap<string, string>): readonly Column<ByRuntime>[] {
  return [
    {
      heading: 'Runtime',
      cell: ({ runtimeId }) => (
        <Link
          to="/runtimes/$runtimeId"
          params={{ runtimeId }}
          className="font-medium underline-offset-2 [overflow-wrap:anywhere] hover:underline"
        >
          {names.get(runtimeId) ?? runtimeId}
        </Link>
      ),
    },
    { heading: 'Executions', isNumber: true, cell: ({ executions }) => formatCount(executions) },
    { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
    { heading: 'Failed calls', isNumber: true, isExtra: true, cell: ({ failedCalls }) => formatCount(failedCalls) },
    { heading: 'Unknown', isNumber: true, isExtra: true, cell: ({ unknownCalls }) => formatCount(unknownCalls) },
    { heading: 'Tokens', isNumber: true, isExtra: true, cell: ({ totalTokens }) => formatCount(totalTokens) },
    ...PERCENTILES,
  ]
}
