import type { ReactNode } from 'react'
import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatDuration } from '../ui/format.ts'
import { AXIS, GRID, TOOLTIP } from './chart-style.ts'
import { describeSeries, type Series } from './series.ts'

interface LineSeriesProps {
  label: string
  labels: readonly string[]
  /** Milliseconds. */
  line: Series
  /** Beneath it, told apart by its dashes. */
  dashed: Series
}

export function LineSeries({ label, labels, line, dashed }: LineSeriesProps): ReactNode {
  const rows = labels.map((name, place) => ({
    name,
    line: line.values[place] ?? null,
    dashed: dashed.values[place] ?? null,
  }))
  return (
    <div role="img" aria-label={describeSeries(label, labels, [line, dashed])} className="relative size-full">
      {/* Out of the flow: a drawn chart must not keep its parent from getting narrower. */}
      <div className="absolute inset-0">
        <ResponsiveContainer width="100%" height="100%" minWidth={0}>
          <LineChart data={rows} accessibilityLayer={false} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
            <CartesianGrid {...GRID} />
            <XAxis dataKey="name" minTickGap={24} padding={{ left: 24, right: 12 }} {...AXIS} />
            <YAxis width={56} tickFormatter={formatDuration} {...AXIS} />
            <Tooltip {...TOOLTIP} formatter={(value) => formatDuration(Number(value))} />
            <Line
              dataKey="line"
              name={line.name}
              stroke="var(--accent)"
              strokeWidth={2}
              dot={{ r: 2.5, fill: 'var(--accent)' }}
              isAnimationActive={false}
            />
            <Line
              dataKey="dashed"
              name={dashed.name}
              stroke="var(--muted)"
              strokeWidth={2}
              strokeDasharray="5 4"
              dot={{ r: 2.5, fill: 'var(--muted)', strokeDasharray: '0' }}
              isAnimationActive={false}
            />
          </LineChart>
        </ResponsiveContainer>
      </div>
    </div>
  )
}
