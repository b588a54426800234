import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import type { HeldRequest } from '../load/held-request.ts'
import { type LoadKind, loadKindOf } from '../load/shedding-rules.ts'
import { createEarlyDoors } from './early-doors.ts'
import { noteOwedAnswer } from './owed-answers.ts'
import { createRefusalWriter, pathOf, type RefusalReason, refusalOf } from './refusal-text.ts'
import { notesOf } from './request-notes.ts'
import type { RequestGist } from './whole-request.ts'

const LOG_EVERY_MS = 1_000

type ShedDeps = Pick<Deps, 'clock' | 'load' | 'logger' | 'metrics'>

/**
 * Refuses what is more than the service can hold, before a credential is looked up or a body read. Must be the first hook.
 * Most of all refusals are given even before that: where there are many, the framework's part of them would be dear, and
 * Node's is.
 */
export function shedLoad(app: FastifyInstance, deps: ShedDeps): void {
  const { clock, load } = deps
  const teller = createTeller(deps)
  const textOf = createRefusalWriter(clock)
  const doors = createEarlyDoors((request) => {
    const kind = kindOf(request)
    const reason = load.refuses(kind)
    if (reason === null) return null
    teller.shed(kind, reason)
    return textOf(request, reason)
  })
  // Null where the request was refused, and its answer is on its way, or is ignored.
  const take = (request: IncomingMessage, response: ServerResponse): HeldRequest | null => {
    const turn = noteOwedAnswer(request, response)
    if (turn === 'ignored') return null
    const gist = gistOf(request)
    const kind = kindOf(gist)
    const entered = turn === 'refused' ? 'owed' : load.enter(kind)
    if (typeof entered === 'string') {
      teller.shed(kind, entered)
      const { headers, body } = refusalOf(gist, entered)
      response.writeHead(429, headers).end(body)
      return null
    }
    teller.look()
    response.on('close', () => entered.end())
    return entered
  }
  // Rests on this: the framework begins its first hook, which is ours, before its listener returns. One place is enough
  // then, and where it should not, the hook finds it empty and takes the request once more.
  let handedOver: { request: IncomingMessage; held: HeldRequest } | null = null
  const handlers = app.server.listeners('request')
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    doors.note(request)
    const held = take(request, response)
    if (!held) return doors.put(request, response)
    handedOver = { request, held }
    for (const handle of handlers) handle.call(app.server, request, response)
    handedOver = null
  })
  app.addHook('onRequest', (request, reply, done) => {
    // What did not come over the first of the server's addresses has not been judged yet.
    const held = handedOver?.request === request.raw ? handedOver.held : take(request.raw, reply.raw)
    if (!held) return void reply.hijack()
    notesOf(request).held = held
    done()
  })
  releaseLater(app)
}

function releaseLater(app: FastifyInstance): void {
  // Credentials have been looked up by now. How long a body takes is its sender’s affair, and so is reading the answer.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    notesOf(request).held?.pause()
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    notesOf(request).held?.resume()
    done()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    notesOf(request).held?.leave()
    done()
  })
}

function gistOf({ method = '', url = '', headers }: IncomingMessage): RequestGist {
  const id = headers['x-request-id']
  return { method, url, headers: { origin: headers.origin, 'x-request-id': typeof id === 'string' ? id : undefined } }
}

function kindOf({ method, url }: RequestGist): LoadKind {
  return loadKindOf(method, pathOf(url))
}

interface Teller {
  shed(kind: LoadKind, reason: RefusalReason): void
  /** Tells what is still untold of a burst that is over. */
  look(): void
}

// Counts each, and logs one line a second, however many there were; the first at once, the last as soon as it looks again.
function createTeller({ clock, logger, metrics }: Omit<ShedDeps, 'load'>): Teller {
  let toldAt = Number.NEGATIVE_INFINITY
  let shed = 0
  const look = () => {
    if (shed === 0) return
    const now = clock.now()
    if (now - toldAt < LOG_EVERY_MS && now >= toldAt) return
    logger.warn({ shed }, 'requests were shed')
    toldAt = now
    shed = 0
  }
  return {
    look,
    shed(kind, reason) {
      metrics.requestShed({ kind, reason })
      shed += 1
      look()
    },
  }
}
