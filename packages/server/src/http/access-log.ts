import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'

/** One line a request, of listed fields only: never a body, a header, a query, or an address as it was typed. */
export function logAccess(app: FastifyInstance, deps: Pick<Deps, 'clock' | 'logger'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = deps.clock.now()
    reply.raw.on('close', () => {
      const isWhole = reply.raw.writableFinished
      deps.logger.info(
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url ?? null,
          status: reply.raw.statusCode,
          durationMs: deps.clock.now() - startedAt,
          ...(!isWhole && { aborted: true }),
        },
        'request',
      )
    })
    done()
  })
}
