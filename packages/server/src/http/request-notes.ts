import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { type HeldBytes, partOf, SIGN_INS, STRANGERS } from '../admission/in-flight.ts'
import type { RateTaken } from '../admission/rate-limit.ts'
import { networkOf } from '../lib/network.ts'
import { Stop } from '../lib/stop-signal.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import type { Located } from '../runtimes/serving.ts'
import { NO_SPAN } from '../telemetry/no-tracer.ts'
import type { Span } from '../telemetry/tracing.ts'

/** The state of a request, from its head to the close of its answer. */
export interface RequestNotes {
  startedAt: number
  /** Of its route; read once, because Fastify makes `routeOptions` anew at each look. */
  config: FastifyContextConfig
  /** The pattern of its route; null where none was found. */
  route: string | null
  span: Span
  /** The account that the credential belongs to, or the runtime that was named; null where there is neither. */
  accountId: string | null
  /** The id of the runtime that its key or its path led to; null before, and where there is none. */
  runtimeId: string | null
  /** What the request holds for that account, once it holds something. */
  held: HeldBytes | null
  /** The runtime that its public key or its path led to. */
  located: Located | null
  /** The unit of the rate limit that it took, until its visitor is judged. */
  unjudged: Extract<RateTaken, { ok: true }> | null
  /** Once an execution was admitted for it. */
  executionId: string | null
  /** Stops when the answer closes, whether it was sent or not; read through {@link closeOf}. */
  closed: Stop | null
  /** Called when the caller leaves before the whole answer was sent. */
  onGone: (() => void) | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is asked without a credential to get one: what its requests hold counts apart from other strangers’. */
    isSignIn?: boolean
  }
  interface FastifyRequest {
    /** Read through {@link notesOf}. */
    notes: RequestNotes | null
  }
}

/** The notes on a request; they are there as soon as it is. */
export function notesOf(request: FastifyRequest): RequestNotes {
  request.notes ??= {
    startedAt: 0,
    config: {},
    route: null,
    span: NO_SPAN,
    accountId: null,
    runtimeId: null,
    held: null,
    located: null,
    unjudged: null,
    executionId: null,
    closed: null,
    onGone: null,
  }
  return request.notes
}

/** Stops when the answer to a request closes: it was sent, or its caller left. */
export function closeOf(request: FastifyRequest): Stop {
  const notes = notesOf(request)
  notes.closed ??= new Stop()
  return notes.closed
}

// A customer has at least a /56 of IPv6, and can mostly have a /48.
const IPV6_BITS = { rate: 56, share: 48 }

/** The network that a request comes from, as a rate limit counts it. */
export function networkOfCaller(request: FastifyRequest): string {
  return networkOf(request.ip, IPV6_BITS.rate)
}

/** The account that a request counts against; its network, where it has none. */
export function accountOfRequest(request: FastifyRequest): string {
  return notesOf(request).accountId ?? strangerOf(request)
}

/** The network of a caller, as a part of the account of strangers or of sign-ins. */
export function strangerOf(request: FastifyRequest): string {
  return partOf(notesOf(request).config.isSignIn ? SIGN_INS : STRANGERS, sharingNetwork(request.ip))
}

/** The network of an address, as it has a share of what strangers may hold. */
export function sharingNetwork(ip: string): string {
  return networkOf(ip, IPV6_BITS.share)
}

/** Notes whose account a request counts against: what it holds from now on is that account's. */
export function noteAccount(request: FastifyRequest, accountId: string): void {
  notesOf(request).accountId = accountId
}

/** Notes the runtime that a request is for, which belongs to the account that the request counts against. */
export function noteRuntime(request: FastifyRequest, { runtimeId, ownerId }: RuntimeIdentity): void {
  const notes = notesOf(request)
  notes.runtimeId = runtimeId
  notes.accountId = ownerId
}

/** The same of a runtime that can be read again. */
export function noteLocated(request: FastifyRequest, located: Located): void {
  notesOf(request).located = located
  noteRuntime(request, located.runtime)
}

/** The runtime that a request is for. A route outside its plane is a mistake of ours, and must not pass for a stranger. */
export function locatedOf(request: FastifyRequest): Located {
  const { located } = notesOf(request)
  if (located === null) throw new Error('a request reached its handler without a look-up of its runtime')
  return located
}

/** Notes that a request has become an execution: its log line and its span name the execution. */
export function noteAdmission(request: FastifyRequest, executionId: string): void {
  const notes = notesOf(request)
  notes.executionId = executionId
  if (notes.span.traceId !== null) notes.span.add({ 'svc.execution_id': executionId })
}

/** Calls back when the caller leaves before the whole answer was sent; at once if that has happened. */
export function onClientGone(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.destroyed) callback()
  else notesOf(reply.request).onGone = callback
}
