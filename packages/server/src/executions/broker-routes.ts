import { BrokerRequest, CapabilityFailure, CapabilityOutput, ErrorBody, isJsonObject } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { atOnce } from '../http/at-once.ts'
import { answerPreflights } from '../http/gate.ts'
import { noteAccount } from '../http/request-notes.ts'
import { typed } from '../http/typed.ts'
import { type Located, locateById } from '../runtimes/serving.ts'
import { answerCall } from './answer-call.ts'
import { admitBrokerCall, findBrokered, requireEndUser, toCallInput } from './call-capability.ts'

const PATH = '/v1/capabilities/:runtimeId/:capability'
const Params = z.object({ runtimeId: z.string(), capability: z.string() })

const CALL = {
  summary: 'Call a capability as a stranger',
  description:
    'No credential, no model. An unknown runtime, an unknown capability and a runtime without an endpoint are one and the same 404. A capability that needs an end user answers 401 without `endUserToken`. Draws on the anonymous share of the quota and on the quota itself.',
  tags: ['Broker'],
  operationId: 'callCapability',
  params: Params,
  body: BrokerRequest,
  response: { 200: CapabilityOutput, 401: ErrorBody, 502: CapabilityFailure },
} as const

interface Target {
  located: Located
  capability: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What a broker call is for, once it was looked up. */
    brokered: Target | null
  }
}

/** Public plane: a stranger calls one capability. Look-up first, then the end user, then the body, so that each hides the next. */
export function brokerRoutes(plane: FastifyInstance, deps: Deps): void {
  answerPreflights(plane, [PATH], 'POST')
  plane.decorateRequest('brokered', null)

  typed(plane).post(
    PATH,
    {
      schema: CALL,
      config: { isRateLimited: true, load: 'execution' },
      onRequest(request, _reply, done) {
        const { runtimeId, capability } = request.params
        const found = (located: Located) => {
          request.brokered = { located, capability }
          noteAccount(request, located.runtime.ownerId)
          return findBrokered(located, capability)
        }
        atOnce(() => {
          const located = locateById(deps, runtimeId)
          return located instanceof Promise ? located.then(found) : found(located)
        }, done)
      },
      preValidation(request, _reply, done) {
        const { located, capability } = targetOf(request)
        const token = isJsonObject(request.body) ? request.body['endUserToken'] : undefined
        atOnce(() => requireEndUser(located, capability, token), done)
      },
    },
    async (request, reply) => {
      const { input, metadata, endUserToken } = request.body
      const { located, capability } = targetOf(request)
      const call = toCallInput({ capability, input, metadata, endUserToken })
      const outcome = await answerCall(deps, { reply, located }, call, admitBrokerCall)
      reply.code(outcome.ok ? 200 : 502)
      return outcome.body
    },
  )
}

function targetOf(request: Pick<FastifyRequest, 'brokered'>): Target {
  if (!request.brokered) throw new Error('a broker call reached its handler without a look-up')
  return request.brokered
}
