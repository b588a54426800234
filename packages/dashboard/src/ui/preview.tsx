import type { ReactNode } from 'react'
import { formatAmount } from './format.ts'

interface PreviewProps {
  title: string
  lines?: readonly string[] | undefined
  /** In whole units of the currency. */
  amount?: { value: number; currency: string } | null | undefined
  /** Names what stands around it. */
  labelId?: string
  /** Beside the title. */
  children?: ReactNode
}

/** What a call would do, as a person is asked to approve it. */
export function Preview({ title, lines = [], amount, labelId, children }: PreviewProps): ReactNode {
  return (
    <div className="flex flex-col gap-1 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <span id={labelId} dir="auto" className="font-medium [overflow-wrap:anywhere]">
          {title}
        </span>
        {children}
      </div>
      {lines.length > 0 && (
        <p dir="auto" className="whitespace-pre-line text-muted [overflow-wrap:anywhere]">
          {lines.join('\n')}
        </p>
      )}
      {amount && <p className="text-base font-semibold tabular-nums">{formatAmount(amount)}</p>}
    </div>
  )
}
