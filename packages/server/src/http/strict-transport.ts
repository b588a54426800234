import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'

const A_YEAR = 'max-age=31536000'

/** Tells browsers to come over https alone, where the service is published there. */
export function requireStrictTransport(app: FastifyInstance, deps: Pick<Deps, 'baseUrl'>): void {
  // Only an address that was configured can be https, so it is known before the server listens.
  if (!deps.baseUrl().startsWith('https:')) return
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('strict-transport-security', A_YEAR)
    done()
  })
}
