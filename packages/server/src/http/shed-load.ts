import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import type { ShedReason } from '../load/load-gate.ts'
import { loadKindOf } from '../load/shedding-rules.ts'
import { echoOrigin } from './gate.ts'
import { notesOf } from './request-notes.ts'

const RETRY_MS = 1_000
const LOG_EVERY_MS = 1_000

const REFUSALS: Readonly<Record<ShedReason, string>> = {
  held: bodyOf('The service is busy. Try again in a moment.'),
  running: bodyOf('Too many executions are under way. Try again in a moment.'),
}

/**
 * Refuses what is more than the service can hold, before a credential is looked up or a body read. Must be the first hook:
 * what it refuses costs next to nothing and is not logged line by line.
 */
export function shedLoad(app: FastifyInstance, deps: Pick<Deps, 'clock' | 'load' | 'logger' | 'metrics'>): void {
  const tell = createTeller(deps)
  app.addHook('onRequest', (request, reply, done) => {
    const kind = loadKindOf(request.method, request.is404 ? undefined : request.routeOptions.url)
    const entered = deps.load.enter(kind)
    if (typeof entered !== 'string') {
      notesOf(request).held = entered
      reply.raw.once('close', entered.leave)
      return done()
    }
    deps.metrics.requestShed({ kind, reason: entered })
    tell()
    refuse(request, reply, entered)
  })
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

// Written past the framework: its way of answering costs more than many of these may.
function refuse(request: FastifyRequest, reply: FastifyReply, reason: ShedReason): void {
  const { plane, isOpenToAnyOrigin } = request.routeOptions.config
  if (plane === 'public-key') echoOrigin(request, reply)
  const body = REFUSALS[reason]
  reply.hijack()
  reply.raw.writeHead(429, {
    ...corsHeaders(reply),
    ...(isOpenToAnyOrigin && { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'retry-after': String(RETRY_MS / 1_000),
    'x-request-id': request.id,
  })
  reply.raw.end(request.method === 'HEAD' ? undefined : body)
}

function corsHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
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
