import type { FastifyInstance } from 'fastify'
import { limited } from '../errors.ts'
import { createRunQueue, type RunQueue } from '../lib/run-queue.ts'
import { accountOfRequest, closeOf } from './request-notes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route itself bounds how many of its requests one account has under way. */
    hasOwnBound?: boolean
  }
}

const TURNS = {
  limits: { permits: 8, permitsPerKey: 4, waiting: 1_000, waitingPerKey: 64 },
  waitMs: 5_000,
  refusal: () => limited('Too many requests to the owner’s API are under way. Try again in a moment.', 1_000),
}

export function createAccountTurns(): RunQueue {
  return createRunQueue(TURNS)
}

/**
 * Has the handlers of a plane run in turns of their accounts, so that one account never takes every connection to the
 * database. A turn ends with its handler, not with the answer: work goes on without its caller, and a handler that returns
 * its body, instead of sending it, leaves nothing to a slow reader.
 */
export function takeTurns(plane: FastifyInstance, turns: RunQueue): void {
  plane.addHook('onRoute', (route) => {
    const { handler, config } = route
    if (config?.load === 'execution' || config?.hasOwnBound) return
    route.handler = (request, reply) =>
      turns(accountOfRequest(request), async () => handler.call(plane, request, reply), closeOf(request))
  })
}
