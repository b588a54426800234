import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatDuration } from '../../ui/format.ts'
import type { Bar } from './waterfall.ts'

const ROW = 'grid grid-cols-[1fr_auto] gap-x-3 gap-y-1 sm:grid-cols-[11rem_1fr_4.5rem]'

/** Bars over time. Those of the model are thin, those of calls thick, so that colour only helps. */
export function WaterfallView({ bars, totalMs }: { bars: readonly Bar[]; totalMs: number }): ReactNode {
  return (
    <div>
      <ul className="flex flex-col gap-1">
        {bars.map((bar) => (
          <li key={bar.key} className={classNames(ROW, 'items-center text-sm')}>
            <Name bar={bar} />
            <span aria-hidden="true" className="relative h-6 rounded bg-subtle max-sm:order-3 max-sm:col-span-2">
              <svg
                aria-hidden="true"
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
                  className={fillOf(bar)}
                />
              </svg>
            </span>
            <span className="text-right text-muted tabular-nums">{formatDuration(bar.durationMs)}</span>
          </li>
        ))}
      </ul>
      <div aria-hidden="true" className={classNames(ROW, 'mt-1 text-xs text-muted')}>
        <span className="max-sm:hidden" />
        <span className="flex justify-between max-sm:col-span-2">
          <span>0</span>
          <span>{formatDuration(totalMs / 2)}</span>
          <span>{formatDuration(totalMs)}</span>
        </span>
        <span className="max-sm:hidden" />
      </div>
    </div>
  )
}

function fillOf({ isFailed, isUnknown, kind }: Bar): string {
  if (isFailed) return 'fill-bad-fill'
  if (isUnknown) return 'fill-warn'
  return kind === 'model' ? 'fill-muted' : 'fill-accent-fill'
}

function markOf({ isFailed, isUnknown }: Bar): ReactNode {
  if (isFailed) return <span className="text-bad"> failed</span>
  return isUnknown && <span className="text-warn"> unknown</span>
}

function Name({ bar }: { bar: Bar }): ReactNode {
  const mark = markOf(bar)
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
