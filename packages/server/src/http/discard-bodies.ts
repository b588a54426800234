import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ANONYMOUS } from '../admission/in-flight.ts'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { limitTime } from '../lib/limit-time.ts'
import { SMALL_BODY_BYTES } from './json-body.ts'
import { stateOf } from './request-state.ts'

/** How many bodies are discarded at once, and wait, in all and of one account. Of a waiting one up to 64 KiB are read. */
const QUEUE_LIMITS = { permits: 2, permitsPerKey: 1, waiting: 1_024, waitingPerKey: 256 }
/** A slower sender gives up its slot after this long. */
const MAX_SLOT_MS = 25

/**
 * Sends the refusal of a request with a large unread body only once the rest of that body was discarded, a few at a time.
 * To discard hundreds at once blocks the event loop; to close the connection with a body unread resets it, and the
 * answer is lost.
 */
export function discardUnreadBodies(app: FastifyInstance, slotMs = MAX_SLOT_MS): void {
  const slots = new KeyedSemaphore(QUEUE_LIMITS)
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { raw } = request
    if (!isLargeAndUnread(raw)) return done()
    const discard = async () => {
      raw.resume()
      await limitTime(once(raw, 'close'), slotMs, null).catch(() => {})
      done()
    }
    slots.run(senderOf(request), discard, stateOf(request).closed).catch(() => raw.destroy())
  })
}

/** The key of the queue. Callers without a credential share one: a sender may have any number of networks. */
function senderOf(request: FastifyRequest): string {
  const { accountId, config } = stateOf(request)
  return config.plane === 'public' ? ANONYMOUS : (accountId ?? ANONYMOUS)
}

function isLargeAndUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES
}
