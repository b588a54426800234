import type { FastifyInstance } from 'fastify'
import { limited } from '../errors.ts'
import { createRunQueue, type RunQueue } from '../lib/run-queue.ts'
import { accountOfRequest, closeOf } from './request-notes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route itself bounds how many of its requests one account has under way. */
    hasOwnBound?: boolean
    /** The route may read many or large rows: of such requests an account has one under way. */
    readsMuch?: boolean
  }
}

/** Turns of all requests, and those that requests which read much take first. */
export interface AccountTurns {
  all: RunQueue
  reads: RunQueue
}

const WAITING = {
  waitMs: 5_000,
  refusal: () => limited('Too many requests to the owner’s API are under way. Try again in a moment.', 1_000),
}
const TURNS = { permits: 8, permitsPerKey: 4, waiting: 1_000, waitingPerKey: 64 }
// SQLite has one thread for all reads: an account that has one statement in it delays others by no more than that.
const READS = { ...TURNS, permits: Infinity, permitsPerKey: 1 }

export function createAccountTurns(): AccountTurns {
  return {
    all: createRunQueue({ ...WAITING, limits: TURNS }),
    reads: createRunQueue({ ...WAITING, limits: READS }),
  }
}

/**
 * Has the handlers of a plane run in turns of their accounts, so that one account never takes every connection to the
 * database. A turn ends with its handler, not with the answer: work goes on without its caller, and a handler that returns
 * its body, instead of sending it, leaves nothing to a slow reader.
 */
export function takeTurns(plane: FastifyInstance, turns: AccountTurns): void {
  plane.addHook('onRoute', (route) => {
    const { handler, config } = route
    if (config?.load === 'execution' || config?.hasOwnBound) return
    route.handler = (request, reply) => {
      const [account, closed] = [accountOfRequest(request), closeOf(request)]
      const handle = () => turns.all(account, async () => handler.call(plane, request, reply), closed)
      return config?.readsMuch ? turns.reads(account, handle, closed) : handle()
    }
  })
}
