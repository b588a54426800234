import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** An id as people pass it on: in full, with a button that copies it. `label` says what it is the id of. */
export function CodeId({ id, label }: { id: string; label: string }): ReactNode {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <code className="text-[13px] [overflow-wrap:anywhere]">{id}</code>
      <CopyButton text={id} label={`the id of ${label}`} isIcon />
    </span>
  )
}
