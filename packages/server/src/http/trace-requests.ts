import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { notesOf } from './request-notes.ts'

const SERVER_FAULT = 500

/** Begins a span for each request, in the caller's trace where there is one. Ends with the answer. */
export function traceRequests(app: FastifyInstance, deps: Pick<Deps, 'tracer'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent } = request.headers
    const span = deps.tracer.begin(typeof traceparent === 'string' ? traceparent : undefined, {
      'http.request.method': request.method,
      ...(request.is404 ? {} : { 'http.route': request.routeOptions.url ?? '' }),
      'svc.request_id': request.id,
    })
    notesOf(request).span = span
    if (span.traceId === null) return done()
    reply.raw.once('close', () => {
      span.add({ 'http.response.status_code': reply.raw.statusCode })
      span.end(reply.raw.statusCode >= SERVER_FAULT ? 'failed' : 'ok')
    })
    done()
  })
}
