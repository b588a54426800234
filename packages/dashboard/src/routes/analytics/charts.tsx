import { lazy, type ReactNode, Suspense } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { Table } from '../../ui/table.tsx'
import { ExportButton } from './export-button.tsx'
import { bucketLabel } from './ranges.ts'

type Summary = Schemas['AnalyticsSummary']
type Point = Summary['series'][number]

// The library that draws is larger than everything else together: it is loaded when there is something to draw.
const BarChart = lazy(() => import('../../charts/bar-chart.tsx').then(({ BarSeries }) => ({ default: BarSeries })))
const LineChart = lazy(() => import('../../charts/line-chart.tsx').then(({ LineSeries }) => ({ default: LineSeries })))

/** The range over time, in three charts, with the figures behind them. */
export function Charts({ summary }: { summary: Summary }): ReactNode {
  const { series, range } = summary
  const labels = series.map(({ at }) => bucketLabel(at, range.bucket))
  return (
    <>
      <div className="grid gap-6 xl:grid-cols-2">
        <Card title="Executions" actions={<Legend entries={['Completed', 'Failed']} tone="bad" />}>
          <Drawing>
            <BarChart
              label="Executions over time"
              labels={labels}
              solid={{ name: 'Completed', values: series.map(({ completed }) => completed) }}
              tone="bad"
              hatched={{ name: 'Failed', values: series.map(({ failed }) => failed) }}
            />
          </Drawing>
        </Card>
        <Card title="Latency" actions={<Legend entries={['p95', 'p50']} tone="line" />}>
          <Drawing>
            <LineChart
              label="Latency over time"
              labels={labels}
              line={{ name: 'p95', values: series.map(({ p95DurationMs }) => p95DurationMs) }}
              dashed={{ name: 'p50', values: series.map(({ p50DurationMs }) => p50DurationMs) }}
            />
          </Drawing>
        </Card>
        <Card title="Tokens" actions={<Legend entries={['Input', 'Output']} tone="accent" />}>
          <Drawing>
            <BarChart
              label="Tokens over time"
              labels={labels}
              solid={{ name: 'Input', values: series.map(({ inputTokens }) => inputTokens) }}
              hatched={{ name: 'Output', values: series.map(({ outputTokens }) => outputTokens) }}
            />
          </Drawing>
        </Card>
        <Card title="Capability calls" actions={<Legend entries={['Completed', 'Failed']} tone="bad" />}>
          <Drawing>
            <BarChart
              label="Capability calls over time"
              labels={labels}
              solid={{ name: 'Completed', values: series.map((point) => point.capabilityCalls - point.failedCalls) }}
              tone="bad"
              hatched={{ name: 'Failed', values: series.map(({ failedCalls }) => failedCalls) }}
            />
          </Drawing>
        </Card>
      </div>
      <SeriesTable series={series} labels={labels} />
    </>
  )
}

interface LegendProps {
  /** The solid series, and the one that is hatched or dashed. */
  entries: readonly [string, string]
  tone: 'accent' | 'bad' | 'line'
}

const MARKS = {
  accent: ['bg-accent-fill', 'border border-accent-fill'],
  bad: ['bg-accent-fill', 'border border-bad-fill'],
  line: ['h-0.5! bg-accent', 'h-0! border-t-2 border-dashed border-muted'],
} as const

/** Which series is which; the charts themselves say it to screen readers. */
function Legend({ entries, tone }: LegendProps): ReactNode {
  return (
    <p aria-hidden="true" className="flex gap-3 text-xs text-muted">
      {entries.map((name, place) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span className={classNames('size-2.5 rounded-xs', MARKS[tone][place])} />
          {name}
        </span>
      ))}
    </p>
  )
}

function Drawing({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="h-56">
      <Suspense fallback={<Loading rows={4} />}>{children}</Suspense>
    </div>
  )
}

const HEADINGS = [
  'at',
  'executions',
  'completed',
  'failed',
  'capabilityCalls',
  'inputTokens',
  'outputTokens',
  'p50DurationMs',
  'p95DurationMs',
]

function SeriesTable({ series, labels }: { series: readonly Point[]; labels: readonly string[] }): ReactNode {
  const rows = series.map((point, place) => ({ ...point, label: labels[place] ?? point.at }))
  return (
    <Card
      isFlush
      title="Figures over time"
      actions={
        <ExportButton
          file="svc-analytics.csv"
          headings={HEADINGS}
          rows={() =>
            series.map((point) => [
              point.at,
              point.executions,
              point.completed,
              point.failed,
              point.capabilityCalls,
              point.inputTokens,
              point.outputTokens,
              point.p50DurationMs,
              point.p95DurationMs,
            ])
          }
        />
      }
    >
      <details>
        <summary className="px-5 pb-4 text-sm font-medium text-accent">Show the table</summary>
        <Table
          caption="Figures over time"
          rows={rows}
          rowKey={({ at }) => at}
          columns={[
            { heading: 'From', cell: ({ label }) => label },
            { heading: 'Executions', isNumber: true, cell: ({ executions }) => formatCount(executions) },
            { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
            { heading: 'Calls', isNumber: true, cell: ({ capabilityCalls }) => formatCount(capabilityCalls) },
            { heading: 'p50', isNumber: true, cell: ({ p50DurationMs }) => formatDuration(p50DurationMs) },
            { heading: 'p95', isNumber: true, cell: ({ p95DurationMs }) => formatDuration(p95DurationMs) },
            { heading: 'Tokens in', isNumber: true, cell: ({ inputTokens }) => formatCount(inputTokens) },
            { heading: 'Tokens out', isNumber: true, cell: ({ outputTokens }) => formatCount(outputTokens) },
          ]}
        />
      </details>
    </Card>
  )
}
