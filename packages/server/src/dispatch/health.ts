import type { Health } from '@svc/contract'
import { type CallFailure, FAILURES, isRefusal, UNKNOWN_PROBE } from './failures.ts'

const DEGRADED_SHARE = 1 / 5
const FAILURES_IN_A_ROW = 3

/** How a call or probe ended. `message` is never a capability's own; null where the call was accepted. */
export interface HealthSample {
  at: number
  hasFailed: boolean
  message: string | null
}

/** A receiver may not know the probe: after an accepted call that is no failure. */
export function healthSample(failure: CallFailure | null, at: number, before: HealthSample | undefined): HealthSample {
  if (failure?.name === UNKNOWN_PROBE && before?.hasFailed === false) return { ...before, at }
  const hasFailed = failure?.transport === 'failed'
  return { at, hasFailed, message: failure && (hasFailed || isRefusal(failure)) ? failure.message : null }
}

/** The health of an endpoint by its last calls, oldest first. */
export function judgeHealth(recent: readonly HealthSample[]): Health {
  const last = recent.at(-1)
  if (last === undefined) return 'unknown'
  const latest = recent.slice(-FAILURES_IN_A_ROW)
  if (latest.length === FAILURES_IN_A_ROW && latest.every((call) => call.hasFailed)) return 'unreachable'
  const failures = countFailures(recent)
  return last.hasFailed || (failures > 0 && failures >= recent.length * DEGRADED_SHARE) ? 'degraded' : 'healthy'
}

/** Whether the endpoint answers: null where too few calls failed to say that it does not. */
export function judgeReachability(recent: readonly HealthSample[]): boolean | null {
  if (recent.at(-1)?.hasFailed === false) return true
  return judgeHealth(recent) === 'unreachable' ? false : null
}

/** The health in words for the owner; null where nothing needs fixing. */
export function explainHealth(recent: readonly HealthSample[]): string | null {
  const last = recent.at(-1)
  if (last?.hasFailed) {
    const isFirst = !recent.at(-2)?.hasFailed
    return `${isFirst ? 'The last call or probe failed.' : 'The last calls and probes failed.'} ${withHint(last.message)}`
  }
  if (last?.message) return `The last call or probe was refused. ${withHint(last.message)}`
  if (judgeHealth(recent) !== 'degraded') return null
  return `${countFailures(recent)} of the last ${recent.length} calls and probes failed, but the last one got through.`
}

function countFailures(recent: readonly HealthSample[]): number {
  return recent.filter((call) => call.hasFailed).length
}

function withHint(message: string | null): string {
  if (message === FAILURES.unreachable.message) return `${message} Is your server running?`
  if (message?.endsWith(' 401.')) return `${message} Does it have this runtime’s id and signing secret?`
  return message ?? ''
}
