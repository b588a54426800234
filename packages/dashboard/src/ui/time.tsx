import type { ReactNode } from 'react'
import { formatAgo, formatTime } from './format.ts'
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
