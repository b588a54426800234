import type { FastifyInstance, FastifyRequest } from 'fastify'
import { transcriptWeight } from '../admission/heap-weight.ts'
import { HeldBytes, type Reserve, type Shortage } from '../admission/in-flight.ts'
import type { Deps } from '../deps.ts'
import { type AppError, busy, noRoom } from '../errors.ts'
import { accountOfRequest, notesOf, strangerOf } from './request-notes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The class of the route under load. Refused: `execution`, while the event loop is late or its account has its share
     * under way; `health`, never. Any other route is refused only where its body or answer has no room.
     */
    load?: 'execution' | 'health'
  }
}

type LoadDeps = Pick<Deps, 'inFlight' | 'limits' | 'loopDelay' | 'metrics'>

/** While the event loop is late, an account begins executions only up to this many at once. */
const FEW_RUNNING = 64
/** A smaller answer fits into what the system buffers for a connection. */
const SMALL_ANSWER_BYTES = 16 * 1024

/** Bounds what accounts have in flight: after their credentials, before their bodies. */
export function boundInFlight(app: FastifyInstance, deps: LoadDeps): void {
  const { inFlight, limits, loopDelay, metrics } = deps
  // One for all: to note where each was made would cost more than all else about it.
  const lateRefusal = busy()
  const refused = (shortage: Shortage): AppError => {
    metrics.requestRefused(shortage.of)
    return noRoom(shortage)
  }
  const refuseWhileLate = (accountId: string): AppError | null => {
    if (inFlight.executionsOf(accountId) < FEW_RUNNING || loopDelay.delayMs <= limits.loopDelayMs) return null
    metrics.requestRefused('event_loop')
    return lateRefusal
  }
  const refuse = (accountId: string): AppError | null => {
    const late = refuseWhileLate(accountId)
    const shortage = late ? null : (inFlight.executionShortage(accountId) ?? inFlight.byteShortage(accountId))
    return shortage ? refused(shortage) : late
  }
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const notes = notesOf(request)
    const accountId = accountOfRequest(request)
    // A body without a credential counts for strangers until it was read: slow ones must not fill an owner's share.
    notes.held = new HeldBytes(inFlight, notes.config.plane === 'public' ? strangerOf(request) : accountId)
    const refusal = notes.config.load === 'execution' ? refuse(accountId) : null
    if (refusal) done(refusal)
    else done(null, payload)
  })
  // Again once the body has come: others may have begun meanwhile.
  app.addHook('preHandler', (request, _reply, done) => {
    const { config, held } = notesOf(request)
    const accountId = accountOfRequest(request)
    const late = config.load === 'execution' ? refuseWhileLate(accountId) : null
    const shortage = late ? null : held?.moveTo(accountId)
    done(late ?? (shortage ? refused(shortage) : undefined))
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes <= SMALL_ANSWER_BYTES) return done()
    const notes = notesOf(request)
    notes.held ??= new HeldBytes(inFlight, accountOfRequest(request))
    const isRead = request.method === 'GET'
    // A read has taken room for its answer before.
    const shortage = isRead && notes.held.bytes >= bytes ? null : notes.held.grow(bytes)
    // What has changed something must be answered.
    if (shortage && isRead) return done(refused(shortage))
    if (shortage) notes.held.take(bytes)
    done()
  })
}

/** Counts what the request reads from the store as what it takes once it is parsed and written as the answer. */
export function reserveRead(
  { inFlight, metrics }: Pick<Deps, 'inFlight' | 'metrics'>,
  request: FastifyRequest,
): Reserve {
  return (bytes) => {
    if (bytes <= SMALL_ANSWER_BYTES) return
    const notes = notesOf(request)
    notes.held ??= new HeldBytes(inFlight, accountOfRequest(request))
    const shortage = notes.held.grow(transcriptWeight(bytes))
    if (shortage === null) return
    metrics.requestRefused(shortage.of)
    throw noRoom(shortage)
  }
}
