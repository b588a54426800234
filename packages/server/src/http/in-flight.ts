import type { FastifyInstance, FastifyRequest } from 'fastify'
import { transcriptWeight } from '../admission/heap-weight.ts'
import { HeldBytes, type InFlight, type Reserve, type Shortage } from '../admission/in-flight.ts'
import { type AppError, busy, noRoom } from '../errors.ts'
import type { HttpDeps } from './deps.ts'
import { RefusalQueue } from './refusal-queue.ts'
import { accountOfRequest, anonymousAccountOf, stateOf } from './request-state.ts'

type LoadDeps = Pick<HttpDeps, 'inFlight' | 'limits' | 'loopDelay' | 'metrics'>

/** While the event loop is late, an account with this many executions in flight begins no further one. */
const FEW_RUNNING = 64
/** A smaller answer fits into the socket's send buffer, and takes no heap while its reader is slow. */
const SMALL_ANSWER_BYTES = 16 * 1024

/** Limits what accounts have in flight: after their credentials are known, before their bodies are read. */
export function limitInFlight(app: FastifyInstance, deps: LoadDeps): void {
  const { inFlight, limits, loopDelay } = deps
  // One error for all: its stack trace would cost more than the rest of the refusal.
  const lateRefusal = busy()
  const refuseWhileLate = (accountId: string): AppError | null => {
    if (inFlight.executionsOf(accountId) < FEW_RUNNING || loopDelay.delayMs <= limits.loopDelayMs) return null
    deps.metrics.requestRefused('event_loop')
    return lateRefusal
  }
  const refusals = new RefusalQueue()
  const refuse = (refusal: AppError, done: (refusal: AppError) => void) => {
    if (loopDelay.delayMs > limits.loopDelayMs) refusals.add(() => done(refusal))
    else done(refusal)
  }
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const state = stateOf(request)
    const accountId = accountOfRequest(request)
    // A public body counts for its network until it was read: slow ones must not fill the share of an account.
    state.held = new HeldBytes(inFlight, state.config.plane === 'public' ? anonymousAccountOf(request) : accountId)
    if (state.config.load !== 'execution') return done(null, payload)
    const late = refuseWhileLate(accountId)
    const shortage = late ? null : (inFlight.executionShortage(accountId) ?? inFlight.byteShortage(accountId))
    const refusal = shortage ? shortageRefusal(deps, shortage) : late
    if (refusal) refuse(refusal, done)
    else done(null, payload)
  })
  // Checked again once the body was read: other executions may have begun meanwhile.
  app.addHook('preHandler', (request, _reply, done) => {
    const { config, held } = stateOf(request)
    const accountId = accountOfRequest(request)
    const late = config.load === 'execution' ? refuseWhileLate(accountId) : null
    const shortage = late ? null : held?.moveTo(accountId)
    const refusal = late ?? (shortage ? shortageRefusal(deps, shortage) : null)
    if (refusal) refuse(refusal, done)
    else done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes <= SMALL_ANSWER_BYTES) return done()
    const held = heldBy(request, inFlight)
    const isRead = request.method === 'GET'
    // A route that calls reserveRead has counted its answer already.
    const shortage = isRead && held.bytes >= bytes ? null : held.grow(bytes)
    // A request that may have changed something is answered in any case; its bytes count all the same.
    if (shortage && isRead) return done(shortageRefusal(deps, shortage))
    if (shortage) held.take(bytes)
    done()
  })
}

/** Reserves heap for rows that the request reads, parses and writes as its answer. */
export function reserveRead(deps: Pick<LoadDeps, 'inFlight' | 'metrics'>, request: FastifyRequest): Reserve {
  return (bytes) => {
    if (bytes <= SMALL_ANSWER_BYTES) return
    const shortage = heldBy(request, deps.inFlight).grow(transcriptWeight(bytes))
    if (shortage !== null) throw shortageRefusal(deps, shortage)
  }
}

function heldBy(request: FastifyRequest, inFlight: InFlight): HeldBytes {
  const state = stateOf(request)
  state.held ??= new HeldBytes(inFlight, accountOfRequest(request))
  return state.held
}

function shortageRefusal({ metrics }: Pick<LoadDeps, 'metrics'>, shortage: Shortage): AppError {
  metrics.requestRefused(shortage.of)
  return noRoom(shortage)
}
