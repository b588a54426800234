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
import { forbidden, internal } from '../errors.ts'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { PASSED_ON_FIELDS } from '../http/json-body.ts'
import { RuntimeParams } from '../http/params.ts'
import { limitFaults, takeRate, takeVisitorRate } from '../http/rate-limit.ts'
import { cachedRuntimeOf, setCachedRuntime } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import { type CachedRuntime, lookUpById, revalidating } from '../runtimes/serving-cache.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import { answerCall } from './answer-execution.ts'
import { checkEndUser, findCallable, requireCallable, toCallRequest } from './call-capability.ts'
import type { ExecutionDeps } from './deps.ts'
import { IdempotencyHeaders } from './idempotency.ts'

const PATH = '/v1/capabilities/:runtimeId/:capability'
const Params = RuntimeParams.extend({
  capability: z.string().describe('The name of a capability, without its namespace.'),
})

const CALL = describeRoutes('Broker')('callCapability', 'Call a capability anonymously', {
  description:
    'No credential, no model. An unknown runtime, an unknown capability and a runtime without an endpoint are one and the same 404. A capability that needs an end user answers 401 without `endUserToken`. A request with the header `x-svc-execution-id`, a call of this service’s own that came back to it, answers 403. A call takes one unit of the rate limit that the runtime’s broker has for itself, whatever becomes of it; one that is let in draws on the anonymous share of the quota and on the quota itself. A 404 takes nothing of a runtime; it is limited by network, and has no `RateLimit-*` headers.',
  params: Params,
  headers: IdempotencyHeaders,
  body: BrokerRequest,
  response: { 200: CapabilityOutput, 401: ErrorBody, 403: ErrorBody, 502: CapabilityFailure },
})

const OWN_CALL =
  'A call to a capability’s endpoint came back to the broker. Point the runtime’s endpoint at a server of your own, and send no x-svc-execution-id.'

/** Public plane: an anonymous call of one capability. Checks the look-up, then the end user, then the body: each hides the next. */
export function brokerRoutes(plane: FastifyInstance, deps: ExecutionDeps): void {
  answerPreflights(plane, [PATH], 'POST')

  typed(plane).post(
    PATH,
    {
      schema: CALL,
      config: { isRateLimited: true, load: 'execution', exactFields: PASSED_ON_FIELDS },
      onRequest(request, reply, done) {
        if (request.headers[EXECUTION_ID_HEADER] !== undefined) return done(forbidden(OWN_CALL))
        const { runtimeId, capability } = request.params
        const found = (cached: CachedRuntime) => {
          setCachedRuntime(request, cached)
          return takeRate(deps, { cached, routes: 'broker' }, request, reply)
        }
        // An unknown runtime, an unknown capability and a missing endpoint are the same 404.
        const sought = { runtimeId, what: 'The capability' }
        const cached = lookUpById(deps, sought, (runtime) => findCallable(runtime, capability) !== undefined)
        return (cached instanceof Promise ? cached.then(found) : found(cached)) ?? done()
      },
      preValidation(request, _reply, done) {
        const token = isJsonObject(request.body) ? request.body['endUserToken'] : undefined
        takeVisitorRate(deps, request)
        const check = (runtime: ServingRuntime) =>
          checkEndUser(requireCallable(runtime, request.params.capability), token)
        return revalidating(cachedRuntimeOf(request), check) ?? done()
      },
      errorHandler: limitFaults(deps),
    },
    async (request, reply) => {
      const { input, metadata, endUserToken } = request.body
      const { capability } = request.params
      const idempotencyKey = request.headers['idempotency-key']
      const call = toCallRequest({ kind: 'broker', capability, input, metadata, endUserToken, idempotencyKey })
      const outcome = await answerCall(deps, { reply, cached: cachedRuntimeOf(request) }, call)
      const { body } = outcome
      if ('approval' in body) throw internal(new Error('the broker does not know what a person approves'))
      reply.code(outcome.ok ? 200 : 502)
      return body
    },
  )
}
