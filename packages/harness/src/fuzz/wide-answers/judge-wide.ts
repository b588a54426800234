import { atLeast, atMost, type Check, counted, exactly } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import type { ProbeNotes } from '../support/probe.ts'

/** One attack with answers of one width. */
export interface WideRun {
  /** Values in each answer. */
  values: number
  /** Whether the service accepts that many. */
  isAccepted: boolean
  /** By execute: what became of its one capability call; null where the execute was not answered with 200. */
  outcomes: readonly ('accepted' | 'refused' | null)[]
  health: ProbeNotes
  /** Calls of another tenant, before the attack and during it. */
  quiet: ProbeNotes
  calls: ProbeNotes
}

const HEALTH_MS = 250
const TIMES_QUIET = 5

/** Judges a run: each wide answer accepted or refused as it should be, and everybody else served meanwhile. */
export function judgeWide(run: WideRun): Check[] {
  const { outcomes, health, quiet, calls } = run
  const expected = run.isAccepted ? 'accepted' : 'refused'
  const quietMs = quantile(quiet.latenciesMs, 0.99)
  return [
    counted('executes', outcomes.length),
    exactly('executes answered by other than 200', outcomes.filter((outcome) => outcome === null).length, 0),
    exactly(`answers that were not ${expected}`, outcomes.filter((outcome) => outcome !== expected).length, 0),
    atLeast('health checks meanwhile', health.latenciesMs.length, 20),
    exactly('health checks that failed', health.failures, 0),
    atMost('slowest /health', Math.max(0, ...health.latenciesMs), HEALTH_MS, 'ms'),
    exactly('calls of another tenant that failed', calls.failures + quiet.failures, 0),
    counted('p99 of another tenant’s calls, quiet', quietMs, 'ms'),
    counted('p50 of another tenant’s calls meanwhile', quantile(calls.latenciesMs, 0.5), 'ms'),
    counted('p99 of how late they were sent', quantile(calls.lateMs, 0.99), 'ms'),
    atMost('p99 of another tenant’s calls meanwhile', quantile(calls.latenciesMs, 0.99), TIMES_QUIET * quietMs, 'ms'),
  ].map((check) => ({ ...check, what: `${run.values} values: ${check.what}` }))
}
