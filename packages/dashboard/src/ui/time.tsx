import type { ReactNode } from 'react'
import { formatAgo, formatRemaining, formatTime, formatWhen } from './format.ts'
import { useNow } from './now.ts'

/** How long ago something was, with the exact time on hover. */
export function Ago({ at }: { at: string }): ReactNode {
  const now = useNow()
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap">
      {formatAgo(at, now)}
    </time>
  )
}

/** The same in a list: how long ago within the hour, from then on the minute, so that neighbours can be told apart. */
export function When({ at }: { at: string }): ReactNode {
  const now = useNow()
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap">
      {formatWhen(at, now)}
    </time>
  )
}

/** How long it is until something ends: `expires in 12 min 4 s`. */
export function Expires({ at }: { at: string }): ReactNode {
  const left = Date.parse(at) - useNow()
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap">
      {left > 0 ? `expires in ${formatRemaining(left)}` : 'expired'}
    </time>
  )
}
