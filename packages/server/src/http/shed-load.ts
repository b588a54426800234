import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import type { HeldRequest, ShedReason } from '../load/load-gate.ts'
import { type LoadKind, loadKindOf } from '../load/shedding-rules.ts'
import { createEarlyDoors } from './early-doors.ts'
import { anyOrigin, echoedOrigin } from './gate.ts'
import { requestIdOf } from './request-id.ts'
import { notesOf } from './request-notes.ts'
import type { RequestGist } from './whole-request.ts'

const RETRY_MS = 1_000
const LOG_EVERY_MS = 1_000

const REFUSALS: Readonly<Record<ShedReason, string>> = {
  held: bodyOf('The service is busy. Try again in a moment.'),
  running: bodyOf('Too many executions are under way. Try again in a moment.'),
}

type ShedDeps = Pick<Deps, 'clock' | 'load' | 'logger' | 'metrics'>

/**
 * Refuses what is more than the service can hold, before a credential is looked up or a body read. Must be the first hook.
 * Most of all refusals are given even before that: where there are many, the framework's part of them would be dear, and
 * Node's is.
 */
export function shedLoad(app: FastifyInstance, deps: ShedDeps): void {
  const { clock, load } = deps
  const told = createTeller(deps)
  const dateOf = createDates(clock)
  const doors = createEarlyDoors((request) => {
    const kind = kindOf(request)
    const reason = load.refuses(kind)
    if (reason === null) return null
    told(kind, reason)
    return asText({ date: dateOf(), ...refusalHeaders(request, reason) }, bodyFor(request, reason))
  })
  // Null where the request was refused, and its answer is on its way.
  const take = (request: IncomingMessage, response: ServerResponse): HeldRequest | null => {
    const gist = gistOf(request)
    const kind = kindOf(gist)
    const entered = load.enter(kind)
    if (typeof entered === 'string') {
      told(kind, entered)
      response.writeHead(429, refusalHeaders(gist, entered)).end(bodyFor(gist, entered))
      return null
    }
    response.on('close', entered.leave)
    return entered
  }
  // The framework begins its hooks before it returns, so that one place is enough.
  let handedOver: { request: IncomingMessage; held: HeldRequest } | null = null
  const handlers = app.server.listeners('request')
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    doors.note(request, response)
    const held = take(request, response)
    if (!held) {
      response.once('close', () => doors.put(request))
      return
    }
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

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

function refusalHeaders(request: RequestGist, reason: ShedReason): Readonly<Record<string, string>> {
  return {
    ...originHeaders(request),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(REFUSALS[reason].length),
    'cache-control': 'no-store',
    'retry-after': String(RETRY_MS / 1_000),
    'x-request-id': requestIdOf(request),
  }
}

function bodyFor({ method }: RequestGist, reason: ShedReason): string {
  return method === 'HEAD' ? '' : REFUSALS[reason]
}

function asText(headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 429 Too Many Requests\r\n${lines.join('')}\r\n${body}`
}

// The header counts seconds; a text for each is made once.
function createDates(clock: Clock): () => string {
  let [second, text] = [Number.NaN, '']
  return () => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) [second, text] = [now, new Date(now * 1_000).toUTCString()]
    return text
  }
}

const OF_PAGES = /^\/v1\/runtime\/(execute|capability)$/
const OF_ANYBODY = /^\/(v1\/capabilities\/|v1\/runtime\/[^/]+\/manifest$|openapi\.json$)/

function originHeaders({ url, headers }: RequestGist): Readonly<Record<string, string>> {
  const path = pathOf(url)
  if (OF_PAGES.test(path)) return echoedOrigin(headers.origin)
  return OF_ANYBODY.test(path) ? anyOrigin() : {}
}

function bodyOf(message: string): string {
  return JSON.stringify(limited(message, RETRY_MS).toBody())
}

// Counts each, and logs one line a second, however many there were.
function createTeller({
  clock,
  logger,
  metrics,
}: Omit<ShedDeps, 'load'>): (kind: LoadKind, reason: ShedReason) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  let shed = 0
  return (kind, reason) => {
    metrics.requestShed({ kind, reason })
    shed += 1
    const now = clock.now()
    if (now - toldAt < LOG_EVERY_MS && now >= toldAt) return
    logger.warn({ shed }, 'requests were shed')
    toldAt = now
    shed = 0
  }
}
