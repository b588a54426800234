import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AppError, invalidField } from '../errors.ts'

/** Refuses, in the one envelope, what the HTTP parser lets through or would answer with a body of its own. */
export function refuseMalformed(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => done(malformation(request)))
  // Node would answer 417; a server may as well do as if nothing were expected of it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

function malformation(request: FastifyRequest): AppError | undefined {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    return invalidField('request', 'is not valid HTTP: the Host header is missing.')
  }
  // No id holds one, and not every store can even be asked for it.
  if (request.url.includes('%00')) return invalidField('url', 'must not contain the NUL character.')
  return undefined
}
