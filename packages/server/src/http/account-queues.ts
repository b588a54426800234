import type { FastifyInstance, FastifyRequest } from 'fastify'
import { limited } from '../errors.ts'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { accountOfRequest, stateOf } from './request-state.ts'

const HANDLERS = { permits: 8, permitsPerKey: 4, waiting: 1_000, waitingPerKey: 64 }
// SQLite has one thread for all reads: with one statement of each account in it, no account delays others for long.
const READS = { ...HANDLERS, permits: Infinity, permitsPerKey: 1 }
const EXAMINATIONS = { permits: 20, permitsPerKey: 1, waiting: 0, waitingPerKey: 0 }
const DEPLOYMENTS = { permits: 1_000, permitsPerKey: 1, waiting: 1_000, waitingPerKey: 64 }

export type AccountQueues = ReturnType<typeof createAccountQueues>

/** The queues of requests on the owner and the deploy plane, by account. */
export function createAccountQueues() {
  const message = 'Too many requests to the owner’s API are under way. Try again in a moment.'
  const options = { waitMs: 5_000, refusal: () => limited(message, 1_000) }
  const doctors = 'Another doctor of this account, or too many of others, are under way. Run it again in a moment.'
  return {
    handlers: new KeyedSemaphore(HANDLERS, options),
    /** Examinations of endpoints: one of an account at a time, refused at once where another one is under way. */
    examinations: new KeyedSemaphore(EXAMINATIONS, { refusal: () => limited(doctors, 5_000) }),
    /** For routes with `readsMuch`, before `handlers`. */
    reads: new KeyedSemaphore(READS, options),
  }
}

/**
 * Queues the handlers of a plane by account, so that one account never takes every connection to the database. A handler
 * leaves the queue when it returns, not when its answer was sent: work goes on without its caller, and a handler that
 * returns its body does not wait for a slow reader.
 */
export function queueHandlers(plane: FastifyInstance, queues: AccountQueues): void {
  plane.addHook('onRoute', (route) => {
    const { handler, config } = route
    if (config?.load === 'execution' || config?.skipsAccountQueue) return
    route.handler = (request, reply) => {
      const [account, { closed }] = [accountOfRequest(request), stateOf(request)]
      const handle = () => queues.handlers.run(account, async () => handler.call(plane, request, reply), closed)
      return config?.readsMuch ? queues.reads.run(account, handle, closed) : handle()
    }
  })
}

/**
 * A `preParsing` hook that lets in one deployment of an account at a time, before its body is read: a manifest of a
 * megabyte blocks the event loop for milliseconds, and others are answered between one and the next.
 */
export function createDeploymentQueue(): (request: FastifyRequest) => Promise<void> {
  const message = 'Too many deployments of this account are under way. Deploy again in a moment.'
  const queue = new KeyedSemaphore(DEPLOYMENTS, { waitMs: 10_000, refusal: () => limited(message, 2_000) })
  return (request) => {
    const { closed } = stateOf(request)
    const ended = new Promise<void>((resolve) => closed.addEventListener('abort', resolve))
    return new Promise((begin, refuse) => {
      const work = () => {
        begin()
        return ended
      }
      queue.run(accountOfRequest(request), work, closed).catch(refuse)
    })
  }
}
