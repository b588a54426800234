import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { KeyCaller, LiveSession } from '../accounts/caller.ts'
import { ANONYMOUS, type HeldBytes, partOf, SIGN_INS } from '../admission/in-flight.ts'
import type { RateTaken } from '../admission/rate-limit.ts'
import { networkOf } from '../lib/network.ts'
import { Stop } from '../lib/stop-signal.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import type { CachedRuntime } from '../runtimes/serving.ts'
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
  /** The unit of the rate limit that the request took, until its visitor is judged. */
  unjudged: Extract<RateTaken, { ok: true }> | null = null
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

// A customer has at least a /56 of IPv6, and can mostly have a /48.
const IPV6_BITS = { rate: 56, share: 48 }

/** The network of the caller, as a rate limit counts it. */
export function networkOfCaller(request: FastifyRequest): string {
  return networkOf(request.ip, IPV6_BITS.rate)
}

/** The network of an address, for the share of callers without a credential. */
export function sharingNetwork(ip: string): string {
  return networkOf(ip, IPV6_BITS.share)
}

/** The account that a request counts against; its network, where it has none. */
export function accountOfRequest(request: FastifyRequest): string {
  return stateOf(request).accountId ?? anonymousAccountOf(request)
}

/** The account that counts a request without a credential: the part of its network. */
export function anonymousAccountOf(request: FastifyRequest): string {
  return partOf(stateOf(request).config.isSignIn ? SIGN_INS : ANONYMOUS, sharingNetwork(request.ip))
}

/** Sets the runtime that the request is for, and its account as the one that the request counts against. */
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

/** Records the execution that the request became: its log line and its span name it. */
export function setExecution(request: FastifyRequest, executionId: string): void {
  const state = stateOf(request)
  state.executionId = executionId
  if (state.span.traceId !== null) state.span.add({ 'svc.execution_id': executionId })
}

/** Calls back when the caller leaves before the whole answer was sent; immediately if that has happened. */
export function onClientGone(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.destroyed) callback()
  else stateOf(reply.request).onGone = callback
}
