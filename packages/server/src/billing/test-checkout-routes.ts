import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { invalidField } from '../errors.ts'
import { typed } from '../http/typed.ts'
import type { BillingDeps } from './deps.ts'
import { cancelTestCheckout, confirmTestCheckout, findTestCheckout, type TestAnswer } from './test-checkout.ts'
import { contentSecurityPolicy, testCheckoutPage } from './test-checkout-page.ts'

const PATH = '/v1/billing/test-checkout/:checkoutId'
const Params = z.object({ checkoutId: z.string() })
const ROUTE = { schema: { params: Params, hide: true } } as const

/** Public plane: the page of the test provider, for a person with a browser. */
export function testCheckoutRoutes(plane: FastifyInstance, deps: BillingDeps): void {
  acceptForms(plane)
  const routes = typed(plane)

  routes.get(PATH, ROUTE, async (request, reply) => {
    const found = await findTestCheckout(deps, request.params.checkoutId)
    return reply
      .headers({
        'content-security-policy': contentSecurityPolicy(found),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(testCheckoutPage(found))
  })

  routes.post(`${PATH}/confirm`, ROUTE, async (request, reply) =>
    goTo(reply, await confirmTestCheckout(deps, answerIn(request))),
  )

  routes.post(`${PATH}/cancel`, ROUTE, async (request, reply) =>
    goTo(reply, await cancelTestCheckout(deps, answerIn(request))),
  )
}

// 303: the browser follows with GET.
function goTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('referrer-policy', 'no-referrer').redirect(address, 303)
}

function answerIn(request: { params: { checkoutId: string }; body: unknown }): TestAnswer {
  const token = request.body instanceof URLSearchParams ? request.body.get('token') : null
  return { checkoutId: request.params.checkoutId, token: token ?? '' }
}

function acceptForms(plane: FastifyInstance): void {
  plane.removeAllContentTypeParsers()
  plane.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, new URLSearchParams(text.toString())),
  )
  plane.addContentTypeParser('*', (_request, _payload, done) => {
    done(invalidField('body', 'must be a form, as the page sends it.'))
  })
}
