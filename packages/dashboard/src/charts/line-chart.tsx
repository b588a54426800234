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
}

export function LineSeries({ label, labels, line }: LineSeriesProps): ReactNode {
  const rows = labels.map((name, place) => ({ name, value: line.values[place] ?? null }))
  return (
    <div role="img" aria-label={describeSeries(label, labels, [line])} className="size-full">
      <ResponsiveContainer width="100%" height="100%" minWidth={0}>
        <LineChart data={rows} accessibilityLayer={false} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
          <CartesianGrid {...GRID} />
          <XAxis dataKey="name" minTickGap={24} {...AXIS} />
          <YAxis width={56} tickFormatter={formatDuration} {...AXIS} />
          <Tooltip {...TOOLTIP} formatter={(value) => formatDuration(Number(value))} />
          <Line
            dataKey="value"
            name={line.name}
            stroke="var(--accent)"
            strokeWidth={2}
            dot={{ r: 2.5, fill: 'var(--accent)' }}
            isAnimationActive={false}
          />
        </LineChart>
      </ResponsiveContainer>
    </div>
  )
}
