import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatRemaining, formatTime } from '../../ui/format.ts'
import { useNow } from '../../ui/now.ts'

/** How long the previous key still works. */
export function Countdown({ until }: { until: string }): ReactNode {
  const left = Date.parse(until) - useNow()
  if (left <= 0) return null
  return (
    <p className="flex items-center gap-2 text-sm text-warn" role="timer">
      <Hourglass aria-hidden="true" className="size-4" />
      <span title={formatTime(until)}>
        The previous one is valid for another <span className="font-medium tabular-nums">{formatRemaining(left)}</span>.
      </span>
    </p>
  )
}
