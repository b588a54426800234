import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

type NoticeKind = 'info' | 'ok' | 'warn' | 'bad'

const KINDS = {
  info: { icon: Info, style: 'bg-subtle text-ink' },
  ok: { icon: CircleCheck, style: 'bg-ok-soft text-ok' },
  warn: { icon: TriangleAlert, style: 'bg-warn-soft text-warn' },
  bad: { icon: CircleAlert, style: 'bg-bad-soft text-bad' },
}

/** Something to know, right where it matters. A fault is read out at once. */
export function Notice({ kind = 'info', children }: { kind?: NoticeKind; children: ReactNode }): ReactNode {
  const { icon: Icon, style } = KINDS[kind]
  return (
    <div
      role={kind === 'bad' ? 'alert' : 'note'}
      className={classNames('flex gap-2.5 rounded-md px-3.5 py-3 text-sm', style)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</div>
    </div>
  )
}

/** What could not be loaded, with a way on. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const known = error instanceof ApiError ? error : null
  return (
    <Notice kind="bad">
      <p>{known?.message ?? 'Something went wrong in this page.'}</p>
      {known?.requestId && <p className="mt-1 font-mono text-xs">Request {known.requestId}</p>}
      {onRetry && (
        <Button className="mt-3" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  )
}
