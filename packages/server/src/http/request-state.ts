import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { KeyCaller, LiveSession } from '../accounts/caller.ts'
import { ANONYMOUS, type HeldBytes, SIGN_INS } from '../admission/in-flight.ts'
import type { RateTaken } from '../admission/rate-limit.ts'
import { networkOf } from '../lib/network.ts'
import { Stop } from '../lib/stop-signal.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import type { CachedRuntime } from '../runtimes/serving-cache.ts'
import { NO_SPAN, type Span } from '../telemetry/tracing.ts'

/** The session of a request on the owner plane. A browser sends a cookie by itself, whichever page made the request. */
export interface RequestSession extends LiveSession {
  isFromCookie: boolean
}

export type RequestCaller = RequestSession | KeyCaller

/** The state of one request, from its head to the close of its answer. */
class RequestState {
  startedAt = 0
  /** Of the route. Fastify builds `routeOptions` anew at each access, so it is read once. */
  config: FastifyContextConfig = {}
  /** The pattern of the route; null where none was found. */
  route: string | null = null
  span: Span = NO_SPAN
  /** The account of the credential, or of the runtime that the path names; null before, and where there is neither. */
  accountId: string | null = null
  /** The runtime of the key or of the path; null before, and where there is none. */
  runtime: RuntimeIdentity | null = null
  /** The bytes that the request holds for its account. */
  held: HeldBytes | null = null
  /** The runtime of the public key or of the path. */
  cachedRuntime: CachedRuntime | null = null
  /** On the owner plane: who asks. */
  caller: RequestCaller | null = null
  /** What the request took of the rate limit, until the limit of its visitor is checked as well. */
  rateTaken: Extract<RateTaken, { ok: true }> | null = null
  /** Set once an execution was admitted for the request. */
  executionId: string | null = null
  /** Aborts when the answer closes, whether it was sent or not. */
  readonly closed = new Stop()
  /** Called when the caller leaves before the whole answer was sent. */
  onGone: (() => void) | null = null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Read through {@link stateOf}. */
    state: RequestState | null
  }
}

/** The state of a request, created at its first use. */
export function stateOf(request: FastifyRequest): RequestState {
  request.state ??= new RequestState()
  return request.state
}

/**
 * The prefixes of networks that rate limits count a caller by, and shares of connections and of bytes in flight. Providers give
 * a customer a /56 of IPv6 at least, and mostly a /48 on request.
 */
export const IPV6_BITS = { rate: 56, share: 48 }

/** The key that a request counts against: its account, or without one {@link anonymousAccountOf}. */
export function accountOfRequest(request: FastifyRequest): string {
  return stateOf(request).accountId ?? anonymousAccountOf(request)
}

/** The key of a request without a credential: callers of one network share it. */
export function anonymousAccountOf(request: FastifyRequest): string {
  const shared = stateOf(request).config.isSignIn ? SIGN_INS : ANONYMOUS
  return `${shared} ${networkOf(request.ip, IPV6_BITS.share)}`
}

/** Sets the runtime that the request is for. The request counts against its account. */
export function setRuntime(request: FastifyRequest, runtime: RuntimeIdentity): void {
  const state = stateOf(request)
  state.runtime = runtime
  state.accountId = runtime.ownerId
}

/** The same for a runtime that can be read again. */
export function setCachedRuntime(request: FastifyRequest, cached: CachedRuntime): void {
  stateOf(request).cachedRuntime = cached
  setRuntime(request, cached.runtime)
}

/** The runtime that a request is for. Throws on a route that looks up none: a programming error. */
export function cachedRuntimeOf(request: FastifyRequest): CachedRuntime {
  const { cachedRuntime } = stateOf(request)
  if (cachedRuntime === null) throw new Error('a request reached its handler without a look-up of its runtime')
  return cachedRuntime
}

/** The same, read again unless it was read for this request: no admission confirms the credential or what still serves. */
export async function confirmedRuntimeOf(request: FastifyRequest): Promise<CachedRuntime> {
  const cached = cachedRuntimeOf(request)
  if (!cached.isFresh) await cached.refresh()
  return cached
}

/** Records the execution that the request became: its log line and its span name it. */
export function setExecution(request: FastifyRequest, executionId: string): void {
  const state = stateOf(request)
  state.executionId = executionId
  if (state.span.traceId !== null) state.span.add({ 'svc.execution_id': executionId })
}
