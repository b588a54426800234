import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { capitalized } from './format.ts'

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
  approved: 'ok',
  candidate: 'accent',
  completed: 'ok',
  online: 'ok',
  healthy: 'ok',
  running: 'accent',
  pending: 'neutral',
  delivered: 'ok',
  waiting: 'accent',
  degraded: 'warn',
  offline: 'warn',
  unknown: 'warn',
  failed: 'bad',
  frozen: 'bad',
  unreachable: 'bad',
}

interface Standing {
  status: string
  failedCalls: number
  unknownCalls: number
}

/** How an execution stands; one that completed although calls of it failed, or ended unknown, is marked. */
export function ExecutionBadge({ status, failedCalls, unknownCalls }: Standing): ReactNode {
  if (status !== 'completed' || failedCalls + unknownCalls === 0) return <StateBadge state={status} />
  const marks = [callsIn(failedCalls, 'failed'), callsIn(unknownCalls, 'unknown')].filter((mark) => mark !== null)
  return <Badge tone="warn">{['Completed', ...marks].join(', ')}</Badge>
}

function callsIn(count: number, state: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? 'call' : 'calls'} ${state}`
}

/** A state of the API’s, under its own name. */
export function StateBadge({ state }: { state: string }): ReactNode {
  return <Badge tone={STATES[state] ?? 'neutral'}>{capitalized(state)}</Badge>
}
