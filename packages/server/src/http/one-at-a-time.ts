import type { FastifyRequest } from 'fastify'
import { limited } from '../errors.ts'
import { createRunQueue } from '../lib/run-queue.ts'
import { runtimeOf } from './planes.ts'
import { closeOf } from './request-notes.ts'

const DEPLOYING = {
  limits: { permits: 1_000, permitsPerKey: 1, waiting: 1_000, waitingPerKey: 64 },
  waitMs: 10_000,
  refusal: () => limited('Too many deployments of this account are under way. Deploy again in a moment.', 2_000),
}

/**
 * Lets one deployment of an account in at a time, before its body is read: a manifest of a megabyte keeps the event loop
 * busy for milliseconds, and others are answered between one and the next.
 */
export function createOneAtATime(): (request: FastifyRequest) => Promise<void> {
  const queue = createRunQueue(DEPLOYING)
  return (request) => {
    const closed = closeOf(request)
    const ended = new Promise<void>((resolve) => closed.addEventListener('abort', resolve))
    return new Promise((begin, refuse) => {
      const work = () => {
        begin()
        return ended
      }
      // Refused at once where the sender left while the credential was looked up.
      queue(runtimeOf(request).ownerId, work, closed).catch(refuse)
    })
  }
}
