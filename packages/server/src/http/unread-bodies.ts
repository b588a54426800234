import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { STRANGERS } from '../admission/in-flight.ts'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { SMALL_BODY_BYTES } from './json-body.ts'
import { closeOf, notesOf } from './request-notes.ts'

/**
 * Bodies that are thrown away at once, of all accounts and of one. The others stay at their senders, but for a first piece of
 * 64 KiB each; past so many the connection is closed.
 */
const TURNS = { permits: 2, permitsPerKey: 1, waiting: 1_024, waitingPerKey: 256 }
/** A sender that takes longer is slow, and holds up nobody. */
const TURN_MS = 25

/**
 * Lets refusals of requests whose bodies are still to come leave one after the other, each once the rest of its body was
 * thrown away: hundreds at once would be one long turn of the event loop, and a connection that is closed with a body
 * unread is reset, which loses the answer.
 */
export function discardInTurn(app: FastifyInstance, turnMs = TURN_MS): void {
  const turns = new KeyedSemaphore(TURNS)
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { raw } = request
    if (!isLargeAndUnread(raw)) return done()
    const discard = async () => {
      raw.resume()
      await over(raw, turnMs)
      done()
    }
    const close = () => void raw.destroy()
    try {
      turns.run(senderOf(request), discard, closeOf(request)).catch(close)
    } catch {
      close()
    }
  })
}

/** Strangers have one turn together, also at an owner’s runtime: they can have any number of networks. */
function senderOf(request: FastifyRequest): string {
  const { accountId, config } = notesOf(request)
  return config.plane === 'public' ? STRANGERS : (accountId ?? STRANGERS)
}

function isLargeAndUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES
}

function over(raw: IncomingMessage, maxMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, maxMs)
    raw.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
