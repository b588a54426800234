import type { FastifyInstance } from 'fastify'
import { readBody } from '../http/json-body.ts'
import { stateOf } from '../http/request-state.ts'
import type { BillingDeps } from './deps.ts'
import { type PaymentSource, receivePaymentEvent } from './settle-payment.ts'

// Many times the size of an event.
const EVENT = { maxBodyBytes: 256 * 1024 }

/** Public plane: events of the payment provider, whose signature over the exact bytes of the body is the credential. */
export function paymentWebhookRoutes(plane: FastifyInstance, deps: BillingDeps, source: PaymentSource): void {
  plane.removeAllContentTypeParsers()
  plane.addContentTypeParser('*', (request, payload, done) => {
    const { held } = stateOf(request)
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
