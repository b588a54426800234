import { atLeast, atMost, type Check, counted, exactly } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import type { LoadNotes } from '../overload/generator/load.ts'
import type { ProbeNotes } from '../support/probe.ts'

export interface MemoryRun {
  attack: Pick<LoadNotes, 'byStatus' | 'broken' | 'withoutRetryAfter'>
  /** Another account's calls before the attack, and during it. */
  quiet: ProbeNotes
  busy: ProbeNotes
  isAlive: boolean
  residentMb: number
}

/** How much slower another account's calls may be than on a quiet service. */
const P99_FACTOR = 5

export function judgeMemory({ attack, quiet, busy, isAlive, residentMb }: MemoryRun): Check[] {
  const { byStatus } = attack
  const [letIn = 0, refused = 0] = [byStatus['200'], byStatus['429']]
  const answered = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
  const quietMs = quantile(quiet.latenciesMs, 0.99)
  return [
    exactly('servers alive after long conversations', isAlive ? 1 : 0, 1),
    atLeast('long conversations let in', letIn, 1),
    atLeast('long conversations refused', refused, 1),
    exactly('long conversations answered by other than 200 and 429', answered - letIn - refused, 0),
    exactly('refusals without Retry-After', attack.withoutRetryAfter, 0),
    counted('long conversations whose connection closed', attack.broken),
    counted('memory of the server afterwards', residentMb, 'MB'),
    atLeast('calls of another account meanwhile', busy.latenciesMs.length, 20),
    exactly('calls of another account that failed', busy.failures, 0),
    counted('p99 of its calls before', quietMs, 'ms'),
    counted('p99 of how late they were sent', quantile(busy.lateMs, 0.99), 'ms'),
    atMost('p99 of its calls meanwhile', quantile(busy.latenciesMs, 0.99), quietMs * P99_FACTOR, 'ms'),
  ]
}

export interface GreedRun {
  /** Executions that each greedy account holds. */
  taken: readonly number[]
  /** Of another account's. */
  letIn: number
  asked: number
  limit: number
  isAlive: boolean
}

export function judgeGreed({ taken, letIn, asked, limit, isAlive }: GreedRun): Check[] {
  const all = taken.reduce((sum, count) => sum + count, 0)
  return [
    counted('executions at once, of all accounts', limit),
    atLeast('of these, held by three greedy accounts', all, limit / 2),
    exactly(`of a fourth account’s ${asked} executions, let in`, letIn, asked),
    exactly('servers alive after greedy accounts', isAlive ? 1 : 0, 1),
  ]
}
