import { type ReactNode, useId } from 'react'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { AXIS, GRID, TOOLTIP } from './chart-style.ts'
import { describeSeries, formatTick, type Series } from './series.ts'

interface BarSeriesProps {
  label: string
  labels: readonly string[]
  solid: Series
  /** On top of the solid one, told apart by its pattern. */
  hatched?: Series
  /** `bad` where the hatched ones are nothing to be proud of. */
  tone?: 'accent' | 'bad'
}

export function BarSeries({ label, labels, solid, hatched, tone = 'accent' }: BarSeriesProps): ReactNode {
  const pattern = useId()
  const stripes = tone === 'bad' ? 'var(--bad-fill)' : 'var(--accent-fill)'
  const rows = labels.map((name, place) => ({
    name,
    solid: solid.values[place] ?? 0,
    hatched: hatched?.values[place] ?? 0,
  }))
  return (
    <div
      role="img"
      aria-label={describeSeries(label, labels, hatched ? [solid, hatched] : [solid])}
      className="relative size-full"
    >
      {/* Out of the flow: a drawn chart must not keep its parent from getting narrower. */}
      <div className="absolute inset-0">
        <ResponsiveContainer width="100%" height="100%" minWidth={0}>
          <BarChart data={rows} accessibilityLayer={false} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
            <defs>
              <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="6" height="6" fill="var(--surface)" />
                <rect width="3" height="6" fill={stripes} />
              </pattern>
            </defs>
            <CartesianGrid {...GRID} />
            <XAxis dataKey="name" minTickGap={24} {...AXIS} />
            <YAxis width={44} allowDecimals={false} tickFormatter={formatTick} {...AXIS} />
            <Tooltip {...TOOLTIP} />
            <Bar dataKey="solid" name={solid.name} stackId="all" fill="var(--accent-fill)" isAnimationActive={false} />
            {hatched && (
              <Bar
                dataKey="hatched"
                name={hatched.name}
                stackId="all"
                fill={`url(#${pattern})`}
                stroke={stripes}
                isAnimationActive={false}
              />
            )}
          </BarChart>
        </ResponsiveContainer>
      </div>
    </div>
  )
}
