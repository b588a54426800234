import type { ReactNode } from 'react'
import { formatDuration } from '../../ui/format.ts'
import type { Bar } from './waterfall.ts'

/** Bars over time. Those of the model are thin, those of calls thick, so that colour only helps. */
export function WaterfallView({ bars, totalMs }: { bars: readonly Bar[]; totalMs: number }): ReactNode {
  return (
    <div>
      <ul className="flex flex-col gap-1">
        {bars.map((bar) => (
          <li key={bar.key} className="grid grid-cols-[minmax(6rem,11rem)_1fr_4.5rem] items-center gap-3 text-sm">
            <Name bar={bar} />
            <span aria-hidden="true" className="relative h-6 rounded bg-subtle">
              <svg
                viewBox="0 0 100 10"
                preserveAspectRatio="none"
                className="absolute inset-0 size-full"
              >
                <rect
                  x={bar.offset * 100}
                  width={Math.max(0.5, bar.width * 100)}
                  y={bar.kind === 'model' ? 3.5 : 1.5}
                  height={bar.kind === 'model' ? 3 : 7}
                  rx="0.4"
                  className={bar.isFailed ? 'fill-bad-fill' : bar.kind === 'model' ? 'fill-muted' : 'fill-accent-fill'}
                />
              </svg>
            </span>
            <span className="text-right text-muted tabular-nums">{formatDuration(bar.durationMs)}</span>
          </li>
        ))}
      </ul>
      <div aria-hidden="true" className="mt-1 grid grid-cols-[minmax(6rem,11rem)_1fr_4.5rem] gap-3 text-xs text-muted">
        <span />
        <span className="flex justify-between">
          <span>0</span>
          <span>{formatDuration(totalMs / 2)}</span>
          <span>{formatDuration(totalMs)}</span>
        </span>
        <span />
      </div>
    </div>
  )
}

function Name({ bar }: { bar: Bar }): ReactNode {
  const mark = bar.isFailed && <span className="text-bad"> failed</span>
  if (bar.callId === null) {
    return (
      <span className="truncate text-muted" title={bar.label}>
        {bar.label}
        {mark}
      </span>
    )
  }
  return (
    <span className="truncate">
      <a href={`#${bar.callId}`} className="font-mono text-[13px] underline-offset-2 hover:underline" title={bar.label}>
        {bar.label}
      </a>
      {mark}
    </span>
  )
}
