import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HeldBytes } from '../admission/in-flight.ts'
import type { Deps } from '../deps.ts'
import { type AppError, busy, noRoom } from '../errors.ts'
import { isPipelining } from './connections.ts'
import { anyOrigin, echoedOrigin } from './gate.ts'
import { notesOf } from './request-notes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What is refused where there is too much to do: `execution`, while the event loop is late or its account has its share
     * under way; `health`, never. Any other route is refused only where its body or answer has no room.
     */
    load?: 'execution' | 'health'
  }
}

type LoadDeps = Pick<Deps, 'inFlight' | 'limits' | 'loopDelay' | 'metrics'>

/** While the event loop is late, executions are let in only up to this many at once. */
const FEW_RUNNING = 64
/** A smaller answer fits into what the system buffers for a connection. */
const SMALL_ANSWER_BYTES = 16 * 1024

/** Refuses new executions while the event loop is late, before a credential is looked up. Before any hook that logs. */
export function refuseWhileLate(app: FastifyInstance, deps: LoadDeps): void {
  // One for all: to note where each was made would cost more than all else about it.
  const refusal = busy()
  const refuse = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    if (!isExecution(request) || !isLate(deps)) return done()
    deps.metrics.requestRefused('event_loop')
    reply.headers(originHeaders(request))
    // What a pipelining client has sent behind it would be refused next.
    if (isPipelining(request.raw.socket)) reply.header('connection', 'close')
    done(refusal)
  }
  app.addHook('onRequest', refuse)
  // Again once the body has come: others may have begun meanwhile.
  app.addHook('preHandler', refuse)
}

/** Bounds what accounts have in flight. Begins after their credentials, before their bodies. */
export function boundInFlight(app: FastifyInstance, deps: LoadDeps): void {
  const { inFlight, metrics } = deps
  const refused = (shortage: NonNullable<ReturnType<HeldBytes['grow']>>): AppError => {
    metrics.requestRefused(shortage.of)
    return noRoom(shortage)
  }
  const heldBy = (request: FastifyRequest): HeldBytes => {
    const notes = notesOf(request)
    notes.held ??= new HeldBytes(inFlight, notes.accountId)
    return notes.held
  }
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { accountId } = notesOf(request)
    heldBy(request)
    const shortage = isExecution(request)
      ? (inFlight.executionShortage(accountId) ?? inFlight.byteShortage(accountId))
      : null
    if (shortage) done(refused(shortage))
    else done(null, payload)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes <= SMALL_ANSWER_BYTES) return done()
    const held = heldBy(request)
    const shortage = held.grow(bytes)
    // What has changed something must be answered.
    if (shortage && request.method === 'GET') return done(refused(shortage))
    if (shortage) held.take(bytes)
    done()
  })
}

function isExecution(request: FastifyRequest): boolean {
  return request.routeOptions.config.load === 'execution'
}

function isLate({ inFlight, limits, loopDelay }: LoadDeps): boolean {
  return inFlight.executions >= FEW_RUNNING && loopDelay.delayMs > limits.loopDelayMs
}

// A refusal tells nothing of anybody: the page that asked may read it.
function originHeaders({ routeOptions, headers }: FastifyRequest): Record<string, string> {
  const { plane } = routeOptions.config
  if (plane === 'public-key') return echoedOrigin(headers.origin)
  return plane === 'public' ? anyOrigin() : {}
}
