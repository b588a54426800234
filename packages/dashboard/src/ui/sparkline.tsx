import type { ReactNode } from 'react'

interface SparklineProps {
  /** What it shows, for those who do not see it. */
  label: string
  values: readonly number[]
  /** Parts of these that stand out, such as failures. */
  marked?: readonly number[]
}

const GAP = 0.25

/** Bars over time in a line of text’s height, without axes. */
export function Sparkline({ label, values, marked = [] }: SparklineProps): ReactNode {
  const most = Math.max(1, ...values)
  const bars = values.map((value, place) => ({ place, value: value / most, marked: (marked[place] ?? 0) / most }))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length} 1`}
      preserveAspectRatio="none"
      className="h-9 w-full"
    >
      {bars.map(({ place, value, marked: part }) => (
        <g key={place}>
          <rect x={place} y={0.96} width={1 - GAP} height={0.04} className="fill-line" />
          <rect x={place} y={1 - value} width={1 - GAP} height={value} className="fill-accent-fill" opacity="0.75" />
          <rect x={place} y={1 - part} width={1 - GAP} height={part} className="fill-bad-fill" />
        </g>
      ))}
    </svg>
  )
}
