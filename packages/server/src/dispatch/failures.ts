import type { CallFailure as ToldFailure } from '@svc/contract'

/** How a call counts for circuit breaker and health. `ignored` does not count. */
export type Transport = 'worked' | 'failed' | 'ignored'

/** Why a call failed. The message goes to models and anonymous callers: it has no address, error code or stack. */
export interface CallFailure {
  readonly message: string
  readonly transport: Transport
  /** For metrics. Without one the message is the capability's own. */
  readonly name?: string
  /** How the call ended by the capability's own words; absent where it said nothing. */
  readonly reported?: 'failed' | 'unknown'
  /** The code that the caller gets. */
  readonly code?: ToldFailure['code']
}

/** Every failure of the dispatcher but {@link statusFailure}. */
export const FAILURES = {
  unreachable: { message: 'The endpoint could not be reached.', transport: 'failed' },
  // The same message as for an unreachable address, so that nobody can map a private network.
  refusedAddress: { message: 'The endpoint could not be reached.', transport: 'ignored' },
  timeout: { message: 'The endpoint did not answer in time.', transport: 'failed' },
  brokenOff: { message: 'The connection broke off before the endpoint had answered.', transport: 'failed' },
  notHttp: { message: 'The endpoint gave an answer that could not be used.', transport: 'failed' },
  unusable: { message: 'The endpoint gave an answer that could not be used.', transport: 'worked' },
  tooLarge: { message: 'The endpoint gave an answer that was too large.', transport: 'worked' },
  noRoom: { message: 'The service has no room for the endpoint’s answer just now.', transport: 'ignored' },
  tooDeep: { message: 'The endpoint gave an answer that was nested too deeply.', transport: 'worked' },
  encoded: { message: 'The endpoint gave a compressed answer, which is not accepted.', transport: 'worked' },
  redirect: { message: 'The endpoint answered with a redirect, which is not followed.', transport: 'worked' },
  cancelled: { message: 'The call was cancelled.', transport: 'ignored' },
  paused: { message: 'The endpoint is not answering; calls to it are paused for a moment.', transport: 'ignored' },
  cold: { message: 'The endpoint has just started and did not take the call.', transport: 'failed' },
  busy: { message: 'Too many calls to the endpoint are under way.', transport: 'ignored' },
} as const satisfies Record<string, CallFailure>

/** The name of a probe's 404, which receivers other than the SDK's may answer. */
export const UNKNOWN_PROBE = 'unknownProbe'

/** True where the endpoint's server refused the call before a capability ran. */
export function isRefusal(failure: CallFailure): boolean {
  return failure === FAILURES.redirect || failure.name === 'status4xx'
}

// A gateway that had no answer of the server behind it.
const NO_ANSWER_STATUSES: readonly number[] = [502, 504, 520, 524]

/** Whether the capability may have run although the call failed with this status. */
export function mayHaveRun(status: number): boolean {
  return status < 300 || NO_ANSWER_STATUSES.includes(status)
}

/** The message of a failure after which the outcome of the call is unknown. */
export function unknownOutcome({ message, reported }: CallFailure): string {
  return reported === 'unknown' ? message : `${message.replace(/\.$/, '')}: ${EFFECT_UNKNOWN}`
}

export const EFFECT_UNKNOWN = 'whether the call had an effect is unknown.'

/** An answer with a status other than 200. A 5xx counts as a failed connection. */
export function statusFailure(status: number): CallFailure {
  if (status >= 300 && status < 400) return FAILURES.redirect
  const transport = status >= 500 ? 'failed' : 'worked'
  return {
    message: `The endpoint answered with status ${status}.`,
    transport,
    name: `status${Math.trunc(status / 100)}xx`,
  }
}

const NAMES: ReadonlyMap<CallFailure, string> = new Map(
  Object.entries(FAILURES).map(([name, failure]) => [failure, name]),
)

/** A failure in one word, from a small set. */
export function nameOfFailure(failure: CallFailure): string {
  return NAMES.get(failure) ?? failure.name ?? 'reported'
}
