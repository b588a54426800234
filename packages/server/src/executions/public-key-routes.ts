import {
  CapabilityFailure,
  CapabilityOutput,
  CapabilityRequest,
  ExecuteRequest,
  ExecuteResponse,
  StreamEvent,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { answerPreflights } from '../http/gate.ts'
import { HANDED_ON } from '../http/json-body.ts'
import { locatedOf } from '../http/request-notes.ts'
import { typed } from '../http/typed.ts'
import { toSecret } from '../secrets/secret.ts'
import { answerCall } from './answer-call.ts'
import { answerExecution } from './answer-execution.ts'
import { admitPageCall, toCallInput } from './call-capability.ts'

const EXECUTE = '/v1/runtime/execute'
const CAPABILITY = '/v1/runtime/capability'

const CHAT = {
  summary: 'Run the agent on a conversation',
  description:
    'A failed execution is a result too: HTTP 200, `status` `failed`. With `Accept: text/event-stream` the same execution comes event by event and ends in `done`.',
  tags: ['Chat'],
  operationId: 'execute',
  body: ExecuteRequest,
  events: StreamEvent,
  response: { 200: ExecuteResponse },
} as const

const CALL = {
  summary: 'Call one capability, without a model',
  description: 'What a page does while it waits for something. A failed call is HTTP 200 with `error`.',
  tags: ['Chat'],
  operationId: 'callOwnCapability',
  body: CapabilityRequest,
  response: { 200: z.union([CapabilityOutput, CapabilityFailure]) },
} as const

/** Public-key plane: what a page's chat does. The runtime is the key's, whatever the body says. */
const EXECUTION = { isRateLimited: true, load: 'execution', exactFields: HANDED_ON } as const

export function publicKeyRoutes(plane: FastifyInstance, deps: Deps): void {
  const routes = typed(plane)
  answerPreflights(plane, [EXECUTE, CAPABILITY], 'POST')

  routes.post(EXECUTE, { schema: CHAT, config: EXECUTION }, (request, reply) => {
    const { messages, metadata, endUserToken } = request.body
    return answerExecution(deps, { request, reply }, locatedOf(request), {
      door: 'page',
      messages,
      metadata,
      endUserToken: toSecret(endUserToken),
    })
  })

  routes.post(CAPABILITY, { schema: CALL, config: EXECUTION }, async (request, reply) => {
    const { capability, input, endUserToken } = request.body
    const call = toCallInput({ capability, input, endUserToken })
    const outcome = await answerCall(deps, { reply, located: locatedOf(request) }, call, admitPageCall)
    return outcome.body
  })
}
