import type { FastifyReply, FastifyRequest } from 'fastify'
import { limited } from '../errors.ts'
import { createRunQueue } from '../lib/run-queue.ts'
import { Stop } from '../lib/stop-signal.ts'
import { runtimeOf } from './planes.ts'

const DEPLOYING = {
  limits: { permits: 1_000, permitsPerKey: 1, waiting: 1_000, waitingPerKey: 64 },
  waitMs: 10_000,
  refusal: () => limited('Too many deployments of this account are under way. Deploy again in a moment.', 2_000),
}

/**
 * Lets one deployment of an account in at a time, before its body is read: a manifest of a megabyte keeps the event loop
 * busy for milliseconds, and others are answered between one and the next.
 */
export function createOneAtATime(): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const queue = createRunQueue(DEPLOYING)
  return (request, reply) => {
    const gone = new Stop()
    const ended = new Promise<void>((resolve) => {
      const end = () => {
        gone.abort()
        resolve()
      }
      // The sender may have left while the credential was looked up.
      if (reply.raw.destroyed) end()
      else reply.raw.once('close', end)
    })
    return new Promise((begin, refuse) => {
      const work = () => {
        begin()
        return ended
      }
      queue(runtimeOf(request).ownerId, work, gone).catch(refuse)
    })
  }
}
