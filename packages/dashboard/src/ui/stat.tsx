import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface StatProps {
  label: string
  value: ReactNode
  /** In small print below it. */
  note?: ReactNode
  /** How it compares with the time before. */
  change?: ReactNode
  tone?: 'bad' | undefined
  children?: ReactNode
}

/** A figure under its name. */
export function Stat({ label, value, note, change, tone, children }: StatProps): ReactNode {
  return (
    <div className="flex min-w-0 flex-col rounded-lg border border-line bg-surface p-4">
      <dt className="text-xs font-medium text-muted">{label}</dt>
      <dd className="mt-1 flex flex-wrap items-baseline gap-x-2">
        <span
          className={classNames('text-2xl font-semibold tracking-tight tabular-nums', tone === 'bad' && 'text-bad')}
        >
          {value}
        </span>
        {change}
      </dd>
      {note !== undefined && <dd className="mt-0.5 text-xs text-muted">{note}</dd>}
      {children !== undefined && <dd className="mt-auto pt-3">{children}</dd>}
    </div>
  )
}

export function Stats({ children }: { children: ReactNode }): ReactNode {
  return <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">{children}</dl>
}

interface ChangeProps {
  now: number | null
  before: number | null
  /** `neutral` where more is neither better nor worse. */
  better?: 'more' | 'less' | 'neutral'
}

/** `+12 %`, or `45×` from ten times on: how much more it is than it was. Nothing where one of the two is not known or was none. */
export function Change({ now, before, better = 'neutral' }: ChangeProps): ReactNode {
  if (now === null || before === null || before === 0) return null
  const share = Math.round(((now - before) / before) * 100)
  const isBetter = better === 'more' ? share > 0 : share < 0
  const tone = share === 0 || better === 'neutral' ? 'text-muted' : isBetter ? 'text-ok' : 'text-bad'
  const told = share >= 900 ? `${Math.round(now / before)}×` : `${signOf(share)}${Math.abs(share)} %`
  return (
    <span className={classNames('text-xs font-medium tabular-nums', tone)}>
      {told}
      <span className="sr-only"> compared with the period before</span>
    </span>
  )
}

function signOf(share: number): string {
  if (share === 0) return '±'
  return share > 0 ? '+' : '−'
}
