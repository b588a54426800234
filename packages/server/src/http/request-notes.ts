import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type HeldBytes, strangersOf } from '../admission/in-flight.ts'
import { networkOf } from '../lib/network.ts'
import { NO_SPAN } from '../tracing/no-tracer.ts'
import type { Span } from '../tracing/tracing.ts'

/** What goes along with a request for those who watch it. */
export interface RequestNotes {
  span: Span
  /** The account that the credential belongs to, or the runtime that was named; null where there is neither. */
  accountId: string | null
  /** What the request holds for that account, once it holds something. */
  held: HeldBytes | null
  /** Once an execution was admitted for it. */
  executionId: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Read through {@link notesOf}. */
    notes: RequestNotes | null
  }
}

/** Gives every request a place for its notes. */
export function keepNotes(app: FastifyInstance): void {
  app.decorateRequest('notes', null)
}

/** The notes on a request; they are there as soon as it is. */
export function notesOf(request: FastifyRequest): RequestNotes {
  request.notes ??= { span: NO_SPAN, accountId: null, held: null, executionId: null }
  return request.notes
}

// What one customer has of IPv6 addresses, at least.
const IPV6_BITS = 56

/** The network that a request comes from. */
export function networkOfCaller(request: FastifyRequest): string {
  return networkOf(request.ip, IPV6_BITS)
}

/** The account that a request counts against; its network, where it has none. */
export function accountOfRequest(request: FastifyRequest): string {
  return notesOf(request).accountId ?? strangersOf(networkOfCaller(request))
}

/** Notes whose account a request counts against: what it holds from now on is that account's. */
export function noteAccount(request: FastifyRequest, accountId: string): void {
  notesOf(request).accountId = accountId
}

/** Notes that a request has become an execution: its log line and its span name the execution. */
export function noteAdmission(request: FastifyRequest, executionId: string): void {
  const noted = notesOf(request)
  noted.executionId = executionId
  noted.span.add({ 'svc.execution_id': executionId })
}
