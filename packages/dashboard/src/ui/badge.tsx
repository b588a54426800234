import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tone = 'neutral' | 'ok' | 'warn' | 'bad' | 'accent'

const TONES: Readonly<Record<Tone, string>> = {
  neutral: 'bg-subtle text-muted',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
}

/** A word about a state. The word says it; the colour only helps. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return (
    <span
      className={classNames(
        'inline-flex h-5.5 items-center rounded-full px-2 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}

const STATES: Readonly<Record<string, Tone>> = {
  active: 'ok',
  completed: 'ok',
  online: 'ok',
  healthy: 'ok',
  running: 'accent',
  pending: 'neutral',
  degraded: 'warn',
  offline: 'warn',
  failed: 'bad',
  unreachable: 'bad',
}

/** How an execution stands; one that completed although calls of it failed is marked. */
export function ExecutionBadge({ status, failedCalls }: { status: string; failedCalls: number }): ReactNode {
  if (status !== 'completed' || failedCalls === 0) return <StateBadge state={status} />
  return <Badge tone="warn">{`completed, ${failedCalls} ${failedCalls === 1 ? 'call' : 'calls'} failed`}</Badge>
}

/** A state of the API’s, under its own name. */
export function StateBadge({ state }: { state: string }): ReactNode {
  return <Badge tone={STATES[state] ?? 'neutral'}>{state}</Badge>
}
