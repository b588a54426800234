import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { notFound } from '../errors.ts'
import { ExecutionParams } from '../http/params.ts'
import { typed } from '../http/typed.ts'
import { answerEvents } from './answer-events.ts'
import type { StreamDeps } from './deps.ts'
import { isPeerCall } from './peer-signature-rules.ts'
import { PEER_HEADER } from './peers.ts'
import { cancelHeld, detached, heldRun } from './resume.ts'

const PATH = '/v1/peers/executions/:executionId'

const EVENTS = {
  hide: true,
  params: ExecutionParams,
  querystring: z.strictObject({ after: z.coerce.number().int().min(0) }),
} as const
const HELD = { isTakenWhileDraining: true } as const
const CANCEL = { hide: true, params: ExecutionParams } as const

/** What replicas ask each other. A request that none of them has signed finds no route. */
export function peerRoutes(plane: FastifyInstance, deps: StreamDeps): void {
  const routes = typed(plane)
  plane.addHook('onRequest', (request, _reply, done) => {
    done(isSigned(deps, request) ? undefined : notFound('The route'))
  })
  routes.get(`${PATH}/events`, { schema: EVENTS, config: HELD, exposeHeadRoute: false }, async (request, reply) => {
    const { after } = request.query
    const run = detached(deps, heldRun(deps, request.params.executionId), after)
    await answerEvents(deps, { reply, accountId: run.ownerId }, { source: { run, answer: null }, after })
  })
  routes.post(`${PATH}/cancel`, { schema: CANCEL, config: HELD }, (request) =>
    cancelHeld(heldRun(deps, request.params.executionId)),
  )
}

function isSigned({ keyring, clock }: StreamDeps, request: FastifyRequest): boolean {
  const { method, url, headers } = request
  const header = headers[PEER_HEADER]
  if (typeof header !== 'string' || (method !== 'GET' && method !== 'POST')) return false
  return isPeerCall(keyring, { method, path: url }, { header, now: clock.now() })
}
