import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { formatRemaining } from './format.ts'
import { useNow } from './now.ts'

/** How long to wait after a refusal that says it. Outside of what is read out: it changes every second. */
export function RetryIn({ error }: { error: unknown }): ReactNode {
  const retryAt = error instanceof ApiError ? error.retryAt : null
  return retryAt === null ? null : <Remaining until={retryAt} />
}

function Remaining({ until }: { until: number }): ReactNode {
  const left = until - useNow()
  return (
    <p role="timer" className="flex items-center gap-2 text-sm text-muted">
      <Hourglass aria-hidden="true" className="size-4" />
      {left > 0 ? (
        <span>
          You can try again in <span className="font-medium tabular-nums">{formatRemaining(left)}</span>.
        </span>
      ) : (
        'You can try again now.'
      )}
    </p>
  )
}
