import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HeldRequest } from '../load/held-request.ts'
import { NO_SPAN } from '../tracing/no-tracer.ts'
import type { Span } from '../tracing/tracing.ts'

/** What goes along with a request for those who watch it. */
export interface RequestNotes {
  span: Span
  held: HeldRequest | null
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
  request.notes ??= { span: NO_SPAN, held: null, executionId: null }
  return request.notes
}

/** Notes that a request has become an execution: it is not held any more, and its log line names the execution. */
export function noteAdmission(request: FastifyRequest, executionId: string): void {
  const noted = notesOf(request)
  noted.executionId = executionId
  noted.held?.leave()
  noted.span.add({ 'svc.execution_id': executionId })
}
