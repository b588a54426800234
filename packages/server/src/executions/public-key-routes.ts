import { CapabilityRequest, ExecuteRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { answerPreflights } from '../http/gate.ts'
import { locatedOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { toSecret } from '../secrets/secret.ts'
import { answerCall } from './answer-call.ts'
import { answerExecution } from './answer-execution.ts'
import { admitPageCall } from './call-capability.ts'

const EXECUTE = '/v1/runtime/execute'
const CAPABILITY = '/v1/runtime/capability'

/** Public-key plane: what a page's chat does. The runtime is the key's, whatever the body says. */
export function publicKeyRoutes(plane: FastifyInstance, deps: Deps): void {
  const routes = typed(plane)
  answerPreflights(plane, [EXECUTE, CAPABILITY], 'POST')

  routes.post(EXECUTE, { schema: { body: ExecuteRequest } }, (request, reply) => {
    const { messages, metadata, endUserToken } = request.body
    return answerExecution(deps, { request, reply }, locatedOf(request), {
      door: 'page',
      messages,
      metadata,
      endUserToken: toSecret(endUserToken),
    })
  })

  routes.post(CAPABILITY, { schema: { body: CapabilityRequest } }, async (request, reply) => {
    const { capability, input, endUserToken } = request.body
    const call = { capability, input, metadata: undefined, endUserToken: toSecret(endUserToken) }
    const outcome = await answerCall(deps, reply, call, () => admitPageCall(deps, locatedOf(request), call))
    return outcome.body
  })
}
