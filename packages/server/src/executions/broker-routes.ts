import {
  BrokerRequest,
  CapabilityFailure,
  CapabilityOutput,
  ErrorBody,
  EXECUTION_ID_HEADER,
  isJsonObject,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { forbidden } from '../errors.ts'
import { atOnce } from '../http/at-once.ts'
import { toAppError } from '../http/error-handler.ts'
import { answerPreflights } from '../http/gate.ts'
import { HANDED_ON } from '../http/json-body.ts'
import { judgeVisitor, limitNotFound, removeRateHeaders, takeRate } from '../http/limit-rate.ts'
import { RuntimeParams } from '../http/params.ts'
import { locatedOf, noteLocated } from '../http/request-notes.ts'
import { typed } from '../http/typed.ts'
import type { Located } from '../runtimes/serving.ts'
import { answerCall } from './answer-call.ts'
import { admitBrokerCall, locateBrokered, requireEndUser, toCallInput } from './call-capability.ts'

const PATH = '/v1/capabilities/:runtimeId/:capability'
const Params = RuntimeParams.extend({
  capability: z.string().describe('The name of a capability, without its namespace.'),
})

const CALL = {
  summary: 'Call a capability as a stranger',
  description:
    'No credential, no model. An unknown runtime, an unknown capability and a runtime without an endpoint are one and the same 404. A capability that needs an end user answers 401 without `endUserToken`. A request with the header `x-svc-execution-id`, a call of this service’s own that came back to it, answers 403. A call takes one unit of the rate limit that the runtime’s broker has for itself, whatever becomes of it; one that is let in draws on the anonymous share of the quota and on the quota itself. A 404 takes nothing of a runtime; it is limited by network, and has no `RateLimit-*` headers.',
  tags: ['Broker'],
  operationId: 'callCapability',
  params: Params,
  body: BrokerRequest,
  response: { 200: CapabilityOutput, 401: ErrorBody, 403: ErrorBody, 502: CapabilityFailure },
} as const

const OWN_CALL =
  'A call to a capability’s endpoint came back to the broker. Point the runtime’s endpoint at a server of your own, and send no x-svc-execution-id.'

/** Public plane: a stranger calls one capability. Look-up first, then the end user, then the body, so that each hides the next. */
export function brokerRoutes(plane: FastifyInstance, deps: Deps): void {
  answerPreflights(plane, [PATH], 'POST')

  typed(plane).post(
    PATH,
    {
      schema: CALL,
      config: { isRateLimited: true, load: 'execution', exactFields: HANDED_ON },
      onRequest(request, reply, done) {
        if (request.headers[EXECUTION_ID_HEADER] !== undefined) return done(forbidden(OWN_CALL))
        const { runtimeId, capability } = request.params
        const found = (located: Located) => {
          noteLocated(request, located)
          return takeRate(deps, { located, routes: 'broker' }, request, reply)
        }
        atOnce(() => {
          const located = locateBrokered(deps, runtimeId, capability)
          return located instanceof Promise ? located.then(found) : found(located)
        }, done)
      },
      preValidation(request, _reply, done) {
        const token = isJsonObject(request.body) ? request.body['endUserToken'] : undefined
        atOnce(() => {
          judgeVisitor(deps, request)
          return requireEndUser(locatedOf(request), request.params.capability, token)
        }, done)
      },
      async errorHandler(error, request, reply) {
        const fault = toAppError(error, deps)
        if (fault.code !== 'not_found') {
          judgeVisitor(deps, request)
          throw error
        }
        removeRateHeaders(reply)
        throw limitNotFound(deps, fault, request)
      },
    },
    async (request, reply) => {
      const { input, metadata, endUserToken } = request.body
      const { capability } = request.params
      const call = toCallInput({ capability, input, metadata, endUserToken })
      const outcome = await answerCall(deps, { reply, located: locatedOf(request) }, call, admitBrokerCall)
      reply.code(outcome.ok ? 200 : 502)
      return outcome.body
    },
  )
}
