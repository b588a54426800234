import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { notesOf } from './request-notes.ts'

/** One line a request, of listed fields only: never a body, a header, a query, or an address as it was typed. */
export function logAccess(app: FastifyInstance, deps: Pick<Deps, 'clock' | 'metrics' | 'requestLog'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = deps.clock.now()
    reply.raw.on('close', () => {
      const isAborted = !reply.raw.writableFinished
      const { executionId, span } = notesOf(request)
      const { method } = request
      const route = (request.is404 ? null : request.routeOptions.url) ?? null
      const status = reply.raw.statusCode
      const endedAt = deps.clock.now()
      const durationMs = endedAt - startedAt
      deps.metrics.requestEnded({ method, route, status, durationMs })
      const { id: requestId } = request
      const { traceId } = span
      deps.requestLog({ requestId, method, route, status, endedAt, durationMs, executionId, traceId, isAborted })
    })
    done()
  })
}
