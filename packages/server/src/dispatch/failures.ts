/** What a call says about the connection to its endpoint; `unknown` counts neither for it nor against it. */
export type Transport = 'worked' | 'failed' | 'unknown'

/** Why a call failed. The message goes to models and strangers: no address, no error code, no stack. */
export interface CallFailure {
  readonly message: string
  readonly transport: Transport
  /** For counting; see {@link nameOfFailure}. */
  readonly name?: string
}

/** Every sentence that the dispatcher itself says; see {@link statusFailure} for the one with a number in it. */
export const FAILURES = {
  unreachable: { message: 'The endpoint could not be reached.', transport: 'failed' },
  // Strangers are told what they are told of a dead address, so that nobody can map a private network.
  refusedAddress: { message: 'The endpoint could not be reached.', transport: 'unknown' },
  timeout: { message: 'The endpoint did not answer in time.', transport: 'failed' },
  brokenOff: { message: 'The connection broke off before the endpoint had answered.', transport: 'failed' },
  notHttp: { message: 'The endpoint gave an answer that could not be used.', transport: 'failed' },
  unusable: { message: 'The endpoint gave an answer that could not be used.', transport: 'worked' },
  tooLarge: { message: 'The endpoint gave an answer that was too large.', transport: 'worked' },
  noRoom: { message: 'The service has no room for the endpoint’s answer just now.', transport: 'unknown' },
  tooDeep: { message: 'The endpoint gave an answer that was nested too deeply.', transport: 'worked' },
  encoded: { message: 'The endpoint gave a compressed answer, which is not accepted.', transport: 'worked' },
  redirect: { message: 'The endpoint answered with a redirect, which is not followed.', transport: 'worked' },
  cancelled: { message: 'The call was cancelled.', transport: 'unknown' },
  paused: { message: 'The endpoint is not answering; calls to it are paused for a moment.', transport: 'unknown' },
  cold: { message: 'The endpoint has just started and did not take the call.', transport: 'failed' },
  busy: { message: 'Too many calls to the endpoint are under way.', transport: 'unknown' },
} as const satisfies Record<string, CallFailure>

/** The name of a probe's 404: other receivers than the SDK's may answer so, and other servers do. */
export const UNKNOWN_PROBE = 'unknownProbe'

/** Whether the endpoint's server turned the call away before a capability had it. */
export function isRefusal(failure: CallFailure): boolean {
  return failure === FAILURES.redirect || failure.name === 'status4xx'
}

/** An answer with any status but 200. A fault of the endpoint's server counts as one of the connection, as in 503. */
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

/** A failure in one word, for counting: one of few, whatever an owner's capability says of itself. */
export function nameOfFailure(failure: CallFailure): string {
  return NAMES.get(failure) ?? failure.name ?? 'reported'
}
