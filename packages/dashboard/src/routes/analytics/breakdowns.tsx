import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { ExportButton } from './export-button.tsx'

type Summary = Schemas['AnalyticsSummary']
type ByCapability = Summary['capabilities'][number]
type ByRuntime = Summary['runtimes'][number]

/** The same range by capability and by runtime. */
export function Breakdowns({ summary, names }: { summary: Summary; names: ReadonlyMap<string, string> }): ReactNode {
  const { capabilities, runtimes } = summary
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <Card
        isFlush
        title="By capability"
        actions={
          <ExportButton
            file="svc-capabilities.csv"
            headings={['capability', 'calls', 'failed', 'p50DurationMs', 'p95DurationMs']}
            rows={() =>
              capabilities.map((one) => [one.capability, one.calls, one.failed, one.p50DurationMs, one.p95DurationMs])
            }
          />
        }
      >
        {capabilities.length === 0 ? (
          <p className="px-5 pb-5 text-sm text-muted">No capability was called.</p>
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
            headings={[
              'runtimeId',
              'executions',
              'failed',
              'failedCalls',
              'totalTokens',
              'p50DurationMs',
              'p95DurationMs',
            ]}
            rows={() =>
              runtimes.map((one) => [
                one.runtimeId,
                one.executions,
                one.failed,
                one.failedCalls,
                one.totalTokens,
                one.p50DurationMs,
                one.p95DurationMs,
              ])
            }
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
  { heading: 'Half within', isNumber: true, isExtra: true, cell: ({ p50DurationMs }) => formatDuration(p50DurationMs) },
  { heading: '95 % within', isNumber: true, cell: ({ p95DurationMs }) => formatDuration(p95DurationMs) },
]

const CAPABILITY_COLUMNS: readonly Column<ByCapability>[] = [
  { heading: 'Capability', cell: ({ capability }) => <code className="text-[13px]">{capability}</code> },
  { heading: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
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
          className="font-medium underline-offset-2 hover:underline"
        >
          {names.get(runtimeId) ?? runtimeId}
        </Link>
      ),
    },
    { heading: 'Executions', isNumber: true, cell: ({ executions }) => formatCount(executions) },
    { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
    { heading: 'Calls failed', isNumber: true, isExtra: true, cell: ({ failedCalls }) => formatCount(failedCalls) },
    { heading: 'Tokens', isNumber: true, isExtra: true, cell: ({ totalTokens }) => formatCount(totalTokens) },
    ...PERCENTILES,
  ]
}
