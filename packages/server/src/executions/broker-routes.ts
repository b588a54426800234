import { BrokerRequest, CapabilityFailure, CapabilityOutput, ErrorBody, isJsonObject } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { answerPreflights } from '../http/gate.ts'
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

const targets = new WeakMap<FastifyRequest, Target>()

/** Public plane: a stranger calls one capability. Look-up first, then the end user, then the body, so that each hides the next. */
export function brokerRoutes(plane: FastifyInstance, deps: Deps): void {
  answerPreflights(plane, [PATH], 'POST')

  typed(plane).post(
    PATH,
    {
      schema: CALL,
      config: { isRateLimited: true },
      async onRequest(request) {
        const { runtimeId, capability } = request.params
        const located = await locateById(deps, runtimeId)
        await findBrokered(located, capability)
        targets.set(request, { located, capability })
      },
      async preValidation(request) {
        const { located, capability } = targetOf(request)
        const token = isJsonObject(request.body) ? request.body['endUserToken'] : undefined
        await requireEndUser(located, capability, token)
      },
    },
    async (request, reply) => {
      const { input, metadata, endUserToken } = request.body
      const { located, capability } = targetOf(request)
      const call = toCallInput({ capability, input, metadata, endUserToken })
      const outcome = await answerCall(deps, reply, call, () => admitBrokerCall(deps, located, call))
      reply.code(outcome.ok ? 200 : 502)
      return outcome.body
    },
  )
}

function targetOf(request: FastifyRequest): Target {
  const target = targets.get(request)
  if (!target) throw new Error('a broker call reached its handler without a look-up')
  return target
}
