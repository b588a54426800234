import {
  CapabilityApproval,
  CapabilityFailure,
  CapabilityOutput,
  CapabilityRequest,
  ExecuteRequest,
  ExecuteResponse,
  StreamEvent,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { PASSED_ON_FIELDS } from '../http/json-body.ts'
import { cachedRuntimeOf } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import { answerCall, answerExecution } from './answer-execution.ts'
import { toCallRequest } from './call-capability.ts'
import type { ExecutionDeps } from './deps.ts'
import { toExecuteInput } from './execute.ts'
import { IdempotencyHeaders } from './idempotency.ts'

const EXECUTE = '/v1/runtime/execute'
const CAPABILITY = '/v1/runtime/capability'

const describeRoute = describeRoutes('Chat')
const CHAT = describeRoute('execute', 'Run the agent on a conversation', {
  description:
    'A failed execution is a result too: HTTP 200, `status` `failed`. With `Accept: text/event-stream` the same execution comes event by event and ends in `done`.',
  body: ExecuteRequest,
  events: StreamEvent,
  response: { 200: ExecuteResponse },
})

const CALL = describeRoute('callOwnCapability', 'Call one capability, without a model', {
  description:
    'What a page does while it waits for something. A failed call is HTTP 200 with `error`. One that a person has to approve first is HTTP 200 with `approval`.',
  headers: IdempotencyHeaders,
  body: CapabilityRequest,
  response: { 200: z.union([CapabilityOutput, CapabilityFailure, CapabilityApproval]) },
})

const EXECUTION = { isRateLimited: true, load: 'execution', exactFields: PASSED_ON_FIELDS } as const

/** Public-key plane: the chat of a page. The runtime is that of the key. */
export function publicKeyRoutes(plane: FastifyInstance, deps: ExecutionDeps): void {
  const routes = typed(plane)
  answerPreflights(plane, [EXECUTE, CAPABILITY], 'POST')

  routes.post(EXECUTE, { schema: CHAT, config: EXECUTION }, (request, reply) =>
    answerExecution(deps, { reply, cached: cachedRuntimeOf(request) }, toExecuteInput(request.body)),
  )

  routes.post(CAPABILITY, { schema: CALL, config: EXECUTION }, async (request, reply) => {
    const { capability, input, metadata, endUserToken } = request.body
    const idempotencyKey = request.headers['idempotency-key']
    const call = toCallRequest({ kind: 'capability', capability, input, metadata, endUserToken, idempotencyKey })
    const outcome = await answerCall(deps, { reply, cached: cachedRuntimeOf(request) }, call)
    return outcome.body
  })
}
