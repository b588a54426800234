import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { notFound } from '../errors.ts'
import { ExecutionParams } from '../http/params.ts'
import { typed } from '../http/typed.ts'
import { answerEvents } from './answer-events.ts'
import type { StreamDeps } from './deps.ts'
import { isPeerCall } from './peer-signature-rules.ts'
import { PEER_HEADER } from './peers.ts'
import { cancelHeld, heldRun, requireEvents } from './resume.ts'

const PATH = '/v1/peers/executions/:executionId'

const EVENTS = {
  hide: true,
  params: ExecutionParams,
  querystring: z.strictObject({ after: z.coerce.number().int().min(0) }),
} as const
const TAKEN_WHILE_DRAINING = { isTakenWhileDraining: true } as const
const CANCEL = { hide: true, params: ExecutionParams } as const

/** What replicas ask each other. A request that none of them has signed finds no route. */
export function peerRoutes(plane: FastifyInstance, deps: StreamDeps): void {
  const routes = typed(plane)
  plane.addHook('onRequest', (request, _reply, done) => {
    done(isSigned(deps, request) ? undefined : notFound('The route'))
  })
  const events = { schema: EVENTS, config: TAKEN_WHILE_DRAINING, exposeHeadRoute: false } as const
  routes.get(`${PATH}/events`, events, async (request, reply) => {
    const { after } = request.query
    const run = requireEvents(deps, heldRun(deps, request.params.executionId), after)
    await answerEvents(deps, { reply, accountId: run.ownerId }, { source: { run, answer: null }, after })
  })
  routes.post(`${PATH}/cancel`, { schema: CANCEL, config: TAKEN_WHILE_DRAINING }, (request) =>
    cancelHeld(heldRun(deps, request.params.executionId)),
  )
}

function isSigned({ keyring, clock }: StreamDeps, request: FastifyRequest): boolean {
  const { method, url, headers } = request
  const header = headers[PEER_HEADER]
  if (typeof header !== 'string' || (method !== 'GET' && method !== 'POST')) return false
  return isPeerCall(keyring, { method, path: url }, { header, now: clock.now() })
}
