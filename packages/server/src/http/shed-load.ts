import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import type { HeldRequest, ShedReason } from '../load/load-gate.ts'
import { loadKindOf } from '../load/shedding-rules.ts'
import { anyOrigin, echoedOrigin } from './gate.ts'
import { requestIdOf } from './request-id.ts'
import { notesOf } from './request-notes.ts'

const RETRY_MS = 1_000
const LOG_EVERY_MS = 1_000

const REFUSALS: Readonly<Record<ShedReason, string>> = {
  held: bodyOf('The service is busy. Try again in a moment.'),
  running: bodyOf('Too many executions are under way. Try again in a moment.'),
}

type ShedDeps = Pick<Deps, 'clock' | 'load' | 'logger' | 'metrics'>

/**
 * Refuses what is more than the service can hold, before a credential is looked up or a body read. Must be the first hook.
 * Most of all refusals are given even before that: where there are many, the framework's part of them would be dear.
 */
export function shedLoad(app: FastifyInstance, deps: ShedDeps): void {
  const judge = createJudge(deps)
  const take = (request: IncomingMessage, response: ServerResponse): HeldRequest | null => {
    const entered = judge(request, response)
    if (entered) response.on('close', entered.leave)
    return entered
  }
  // The framework begins its hooks before it returns, so that one place is enough.
  let handedOver: { request: IncomingMessage; held: HeldRequest } | null = null
  const handlers = app.server.listeners('request')
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    const held = take(request, response)
    if (!held) return
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

// Null where the request was refused, and its answer is on its way.
function createJudge(deps: ShedDeps): (request: IncomingMessage, response: ServerResponse) => HeldRequest | null {
  const tell = createTeller(deps)
  return (request, response) => {
    const { method = '', url = '' } = request
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    const kind = loadKindOf(method, path)
    const entered = deps.load.enter(kind)
    if (typeof entered !== 'string') return entered
    deps.metrics.requestShed({ kind, reason: entered })
    tell()
    const body = REFUSALS[entered]
    response.writeHead(429, {
      ...originHeaders(path, request),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'retry-after': String(RETRY_MS / 1_000),
      'x-request-id': requestIdOf(request),
    })
    response.end(method === 'HEAD' ? undefined : body)
    return null
  }
}

const OF_PAGES = /^\/v1\/runtime\/(execute|capability)$/
const OF_ANYBODY = /^\/(v1\/capabilities\/|v1\/runtime\/[^/]+\/manifest$|openapi\.json$)/

function originHeaders(path: string, { headers }: IncomingMessage): Readonly<Record<string, string>> {
  if (OF_PAGES.test(path)) return echoedOrigin(headers.origin)
  return OF_ANYBODY.test(path) ? anyOrigin() : {}
}

function bodyOf(message: string): string {
  return JSON.stringify(limited(message, RETRY_MS).toBody())
}

// One line a second, however many there were.
function createTeller({ clock, logger }: Pick<Deps, 'clock' | 'logger'>): () => void {
  let toldAt = Number.NEGATIVE_INFINITY
  let shed = 0
  return () => {
    shed += 1
    const now = clock.now()
    if (now - toldAt < LOG_EVERY_MS && now >= toldAt) return
    logger.warn({ shed }, 'requests were shed')
    toldAt = now
    shed = 0
  }
}
