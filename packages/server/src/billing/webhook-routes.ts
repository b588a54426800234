import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { readBody } from '../http/json-body.ts'
import { notesOf } from '../http/request-notes.ts'
import { receivePaymentEvent } from './settle-payment.ts'

/** Public plane: what the payment provider sends. Its signature over the body's very bytes is its credential. */
export function webhookRoutes(plane: FastifyInstance, deps: Deps): void {
  plane.removeAllContentTypeParsers()
  plane.addContentTypeParser('*', (request, payload, done) => {
    const { held } = notesOf(request)
    readBody(payload, { maxBytes: deps.limits.bodyBytes, held }, (bytes) => {
      if (bytes instanceof Error) done(bytes)
      else done(null, bytes)
    })
  })

  // Before the body is read, as for any route that does not exist.
  plane.addHook('onRequest', async () => {
    if (!deps.payments.webhook) throw notFound('The route')
  })

  plane.post('/v1/billing/webhook', { schema: { hide: true } }, async (request) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    await receivePaymentEvent(deps, { body, signature: String(request.headers['stripe-signature'] ?? '') })
    return { received: true }
  })
}
