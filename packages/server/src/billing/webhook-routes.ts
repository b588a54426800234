import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { readBody } from '../http/json-body.ts'
import { notesOf } from '../http/request-notes.ts'
import { type PaymentSource, receivePaymentEvent } from './settle-payment.ts'

/** Many times what an event has. */
const EVENT = { maxBodyBytes: 256 * 1024 }

/** Public plane: what the payment provider sends. Its signature over the body's very bytes is its credential. */
export function webhookRoutes(plane: FastifyInstance, deps: Deps, source: PaymentSource): void {
  plane.removeAllContentTypeParsers()
  plane.addContentTypeParser('*', (request, payload, done) => {
    const { held } = notesOf(request)
    const maxBytes = Math.min(EVENT.maxBodyBytes, deps.limits.bodyBytes)
    readBody(payload, { maxBytes, held }, (bytes) => {
      if (bytes instanceof Error) done(bytes)
      else done(null, bytes)
    })
  })

  plane.post('/v1/billing/webhook', { schema: { hide: true }, config: EVENT }, async (request) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    await receivePaymentEvent(deps, source, { body, signature: String(request.headers['stripe-signature'] ?? '') })
    return { received: true }
  })
}
