import { PROBE_CAPABILITY } from '@svc/contract'
import { Deadline } from '../lib/deadline.ts'
import { EMPTY_OBJECT } from '../lib/json-document.ts'
import { KeyedSemaphore, RefusedError } from '../lib/keyed-semaphore.ts'
import type { Limits } from '../limits.ts'
import type { AnswerThread } from './answer-thread.ts'
import { type AttemptDeps, attempt, createNonce, type Delivery } from './attempts.ts'
import type { CallResult } from './call-result.ts'
import type { DispatchCall, DispatchTarget } from './call-types.ts'
import { compose } from './compose.ts'
import { createAgent } from './connections.ts'
import { type Examination, examine } from './doctor/examine.ts'
import { type Endpoint, EndpointStates } from './endpoint-states.ts'
import { type CallFailure, FAILURES, nameOfFailure, UNKNOWN_PROBE, unknownOutcome } from './failures.ts'
import { type OutgoingMessage, postMessage } from './post-message.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import { readDocument } from './read-document.ts'
import { createResolve, type Resolve } from './resolve.ts'

export interface DispatcherDeps extends Pick<AttemptDeps, 'clock' | 'randomNonce'> {
  limits: Pick<Limits, 'dispatchMs' | 'endpointCalls' | 'responseBytes' | 'responseValues'>
  /** Whether endpoints on `localhost`, `127.0.0.1` and `[::1]` may be called. */
  allowLocalEndpoints: boolean
  resolve?: Resolve
  /** Certificates to trust in place of the system's, PEM. */
  trustedCertificates?: string
  /** Reads answers of more than 16 KiB. None: they are read in this thread. */
  answers?: AnswerThread
  /** Told of failed calls, but not of a capability's own failures. */
  logger?: { warn(fields: Record<string, unknown>, message: string): void }
  metrics?: { callEnded(call: { outcome: string; durationMs: number }): void }
  /** Told whether an endpoint answers, when that changes and once a minute. Must not throw. */
  onReachability?: (target: DispatchTarget, isReachable: boolean) => void
}

export interface ProbedEndpoint extends Endpoint {
  ownerId: string
  /** Called only where a probe is due. */
  target(): { target: DispatchTarget; executionId: string; callId: string }
}

type Context = DispatcherDeps & AttemptDeps & { states: EndpointStates; probes: KeyedSemaphore }

export type Dispatcher = ReturnType<typeof createDispatcher>

/** The only way to an address of an owner's. */
export function createDispatcher(deps: DispatcherDeps) {
  const { clock, limits, answers, allowLocalEndpoints, trustedCertificates, resolve = createResolve() } = deps
  const guard = { allowLocalEndpoints, trustedCertificates, resolve }
  const agent = createAgent(guard)
  const states = new EndpointStates({ maxCalls: limits.endpointCalls })
  const context: Context = { ...deps, agent, states, probes: new KeyedSemaphore(PROBES) }
  return {
    /** Makes one call, which the endpoint's handler gets at most once. Every failure is a result. */
    dispatch: (target: DispatchTarget, call: DispatchCall) => dispatch(context, target, call),
    /** Calls an endpoint that was silent for a minute, at most every 30 s, for its health. True: it answered. */
    probe: (endpoint: ProbedEndpoint) => probe(context, endpoint),
    /** Posts a message that is no call, under the same rules for addresses. */
    post: (message: OutgoingMessage, signal: AbortSignal) => postMessage(agent, message, signal),
    /** Gets a JSON document, under the same rules for addresses; null where there is none. */
    read: (url: string, signal: AbortSignal) => readDocument(agent, url, signal),
    /** Calls an endpoint in right and in false ways, and reports. Nothing of it is recorded, not even its health. */
    examine: (examination: Examination) =>
      examine(
        {
          clock,
          nonce: deps.randomNonce ?? createNonce,
          callMs: Math.min(limits.dispatchMs, PROBE_MS),
          openAgent: (onConnect) => createAgent({ ...guard, onConnect }),
        },
        examination,
      ),
    /** By the last calls and probes of the runtime's present endpoint; `unknown` without any. */
    healthOf: (endpoint: Endpoint) => states.healthOf(endpoint, clock.now()),
    /** The reason of the health, for the owner, without an address or a capability's message; null where nothing needs fixing. */
    healthNote: (endpoint: Endpoint) => states.healthNote(endpoint, clock.now()),
    openCircuits: () => states.openCircuits(),
    /** Cancels all calls and closes all connections. */
    async close() {
      await Promise.all([agent.destroy(), answers?.close()])
    },
  }
}

async function dispatch(context: Context, target: DispatchTarget, call: DispatchCall): Promise<CallResult> {
  const { clock, states, metrics } = context
  const startedAt = clock.now()
  const permit = call.signal?.aborted ? FAILURES.cancelled : states.acquire(target, startedAt)
  const answer: ReadAnswer =
    'state' in permit ? await run(context, { target, call, permit }) : { ok: false, failure: permit }
  const durationMs = Math.max(0, clock.now() - startedAt)
  const outcome = answer.ok ? 'completed' : nameOfFailure(answer.failure)
  if (call.mode === undefined) metrics?.callEnded({ outcome, durationMs })
  if (answer.ok) return { durationMs, ...answer }
  const { failure, isUnknown } = answer
  // A preview has no effect.
  const { code } = failure
  if (!isUnknown || call.mode === 'preview') return { ok: false, message: shorten(failure.message), durationMs, code }
  const unknownAt = startedAt + durationMs
  return { ok: false, message: shorten(unknownOutcome(failure)), durationMs, unknownAt }
}

type Permitted = Pick<Delivery, 'target' | 'call' | 'permit'>

async function run(context: Context, { target, call, permit }: Permitted): Promise<ReadAnswer> {
  // Covers the whole call: all tries, from the name look-up to the last byte.
  const deadline = new Deadline(context.limits.dispatchMs, call.signal)
  let failure: CallFailure | null = FAILURES.cancelled
  try {
    const answer = await deliver(context, { target, call, permit, message: compose(call), deadline })
    failure = answer.ok ? null : answer.failure
    return answer
  } finally {
    deadline.release()
    const now = context.clock.now()
    context.states.release(permit, failure, now)
    const isReachable = context.states.takeReachability(permit, now)
    if (isReachable !== null) context.onReachability?.(target, isReachable)
  }
}

const PROBE_MS = 10_000
const PROBES = { permits: 50, permitsPerKey: 5, waiting: 1000, waitingPerKey: 200 } as const

async function probe(context: Context, endpoint: ProbedEndpoint): Promise<boolean> {
  const { logger: _, metrics: __, ...quiet } = context
  if (!context.states.claimProbe(endpoint, context.clock.now())) return false
  const limits = { ...context.limits, dispatchMs: Math.min(context.limits.dispatchMs, PROBE_MS) }
  const send = async () => {
    const { target, ...ids } = endpoint.target()
    const call = {
      ...ids,
      capability: PROBE_CAPABILITY,
      input: EMPTY_OBJECT,
      metadata: EMPTY_OBJECT,
      endUserToken: undefined,
    }
    return (await dispatch({ ...quiet, limits }, target, call)).ok
  }
  try {
    return await context.probes.run(endpoint.ownerId, send)
  } catch (error) {
    if (error instanceof RefusedError) return false
    throw error
  }
}

const MAX_MESSAGE_CHARACTERS = 4000

// After redaction, which would not find a token that was cut.
function shorten(message: string): string {
  return message.length > MAX_MESSAGE_CHARACTERS ? `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…` : message
}

async function deliver(context: Context, delivery: Delivery): Promise<ReadAnswer> {
  const { target, call, deadline } = delivery
  const { answers, limits } = context
  const reply = await attempt(context, delivery)
  if (reply.ok) {
    const { body } = reply
    const given = { body, endUserToken: call.endUserToken, limits }
    const isLarge = body.length > LARGE_BYTES
    const answer = answers && isLarge ? await answers.read(given, target.ownerId, deadline) : readAnswer(given)
    // The capability ran: without its own word nobody knows how it ended.
    return answer.ok ? answer : { ...answer, isUnknown: answer.failure.reported !== 'failed' }
  }
  if (reply.failure !== FAILURES.cancelled) log(context, delivery, reply.reason)
  const { isUnknown = false } = reply
  return { ok: false, failure: reply.status === 404 ? notServed(reply.failure, call) : reply.failure, isUnknown }
}

// A handler answers 404 for an unknown capability, other servers for a wrong path. Only the SDK knows the probe.
function notServed(failure: CallFailure, { capability }: DispatchCall): CallFailure {
  const message = `The endpoint answered with status 404: it does not serve “${capability}”.`
  return capability === PROBE_CAPABILITY ? { ...failure, message, name: UNKNOWN_PROBE } : { ...failure, message }
}

// Smaller answers are read in a fraction of a millisecond.
const LARGE_BYTES = 16 * 1024

function log({ logger }: Context, { target, call, permit }: Delivery, reason: string): void {
  const { executionId, callId, capability } = call
  const { origin } = permit.address
  const fields = { runtimeId: target.runtimeId, origin, executionId, callId, capability, reason }
  logger?.warn(fields, 'a capability call failed')
}
