import { lazy, type ReactNode, Suspense } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
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
      <div className="grid gap-4 xl:grid-cols-2">
        <Card title="Executions" description="Failed ones are hatched.">
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
        <Card title="Latency" description="95 % took less than the upper line, half less than the dashed one.">
          <Drawing>
            <LineChart
              label="Latency over time"
              labels={labels}
              line={{ name: '95 % took less than', values: series.map(({ p95DurationMs }) => p95DurationMs) }}
              dashed={{ name: 'Half took less than', values: series.map(({ p50DurationMs }) => p50DurationMs) }}
            />
          </Drawing>
        </Card>
        <Card title="Tokens" description="What the model wrote is hatched.">
          <Drawing>
            <BarChart
              label="Tokens over time"
              labels={labels}
              solid={{ name: 'In', values: series.map(({ inputTokens }) => inputTokens) }}
              hatched={{ name: 'Out', values: series.map(({ outputTokens }) => outputTokens) }}
            />
          </Drawing>
        </Card>
        <Card title="Capability calls">
          <Drawing>
            <BarChart
              label="Capability calls over time"
              labels={labels}
              solid={{ name: 'Calls', values: series.map(({ capabilityCalls }) => capabilityCalls) }}
            />
          </Drawing>
        </Card>
      </div>
      <SeriesTable series={series} labels={labels} />
    </>
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
      title="The figures behind the charts"
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
            { heading: 'Half within', isNumber: true, cell: ({ p50DurationMs }) => formatDuration(p50DurationMs) },
            { heading: '95 % within', isNumber: true, cell: ({ p95DurationMs }) => formatDuration(p95DurationMs) },
            { heading: 'Tokens in', isNumber: true, cell: ({ inputTokens }) => formatCount(inputTokens) },
            { heading: 'Tokens out', isNumber: true, cell: ({ outputTokens }) => formatCount(outputTokens) },
          ]}
        />
      </details>
    </Card>
  )
}
