import { type Health, PROBE_CAPABILITY } from '@svc/contract'
import { KeyedSemaphore, SemaphoreFullError } from '../lib/keyed-semaphore.ts'
import type { Limits } from '../limits.ts'
import { type AttemptDeps, attempt } from './attempts.ts'
import { CallLimit } from './call-limit.ts'
import type { CallResult } from './call-result.ts'
import { compose } from './compose.ts'
import type { DispatchCall, DispatchTarget } from './dispatch-call.ts'
import { type CallFailure, FAILURES, nameOfFailure, UNKNOWN_PROBE } from './failures.ts'
import { type Endpoint, Lanes, type Pass } from './lanes.ts'
import { type AnswerReader, type GivenAnswer, type ReadAnswer, readAnswer } from './read-answer.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { createAgent } from './send.ts'

export interface DispatcherDeps extends Pick<AttemptDeps, 'clock' | 'randomNonce'> {
  limits: Pick<Limits, 'dispatchMs' | 'endpointCalls' | 'responseBytes' | 'responseValues'>
  /** Whether endpoints on `localhost`, `127.0.0.1` and `[::1]` may be called. */
  allowLocalEndpoints: boolean
  resolve?: Resolve
  /** Certificates to trust in place of the system's, PEM. */
  trustedCertificates?: string
  /** Reads answers of more than 16 KiB; without one they are read in this thread, too. */
  answers?: AnswerReader
  logger?: DispatchLogger
  metrics?: DispatchMetrics
}

/** Told why calls failed, where that was not the capability's own word. A pino logger is one. */
export interface DispatchLogger {
  warn(fields: Record<string, unknown>, message: string): void
}

/** Told of every call how it ended. */
export interface DispatchMetrics {
  callEnded(call: { outcome: string; durationMs: number }): void
}

/** The one way from here to an owner's endpoint. */
export interface Dispatcher {
  /** Makes one call, at most once as far as the endpoint's handler is concerned. Every failure is a result. */
  dispatch(target: DispatchTarget, call: DispatchCall): Promise<CallResult>
  /**
   * Asks an endpoint that was silent for a minute whether it answers, at most every 30 s; true where it did. Nothing of it
   * is recorded but the endpoint's health.
   */
  probe(endpoint: ProbedEndpoint): Promise<boolean>
  /** Health of a runtime's present endpoint by the last calls and probes; `unknown` where there were none. */
  healthOf(endpoint: Endpoint): Health
  /** Why it is so, in words for the owner: no address, nothing of a capability's; null where there is nothing to mend. */
  healthNote(endpoint: Endpoint): string | null
  /** How many endpoints calls are paused to. */
  openCircuits(): number
  /** Ends every call that is under way, as cancelled, and closes all connections. */
  close(): Promise<void>
}

/** The target is made only where a probe is due. */
interface ProbedEndpoint extends Endpoint {
  ownerId: string
  target(): { target: DispatchTarget; executionId: string; callId: string }
}

type Context = DispatcherDeps & AttemptDeps & { lanes: Lanes; probes: KeyedSemaphore }

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { allowLocalEndpoints, trustedCertificates, resolve = createResolve() } = deps
  const agent = createAgent({ allowLocalEndpoints, trustedCertificates, resolve })
  const context: Context = {
    ...deps,
    agent,
    lanes: new Lanes({ callsAtOnce: deps.limits.endpointCalls }),
    probes: new KeyedSemaphore(PROBES),
  }
  return {
    dispatch: (target, call) => dispatch(context, target, call),
    probe: (endpoint) => probe(context, endpoint),
    healthOf: (endpoint) => context.lanes.healthOf(endpoint, deps.clock.now()),
    healthNote: (endpoint) => context.lanes.healthNote(endpoint, deps.clock.now()),
    openCircuits: () => context.lanes.openCircuits(),
    async close() {
      await Promise.all([agent.destroy(), deps.answers?.close()])
    },
  }
}

async function dispatch(context: Context, target: DispatchTarget, call: DispatchCall): Promise<CallResult> {
  const { clock, lanes, metrics } = context
  const startedAt = clock.now()
  const pass = call.signal?.aborted ? FAILURES.cancelled : lanes.enter(target, startedAt)
  let answer: ReadAnswer = { ok: false, failure: 'lane' in pass ? FAILURES.cancelled : pass }
  let endedAt = startedAt
  if ('lane' in pass) {
    try {
      answer = await deliver(context, { target, call, pass })
    } finally {
      endedAt = Math.max(startedAt, clock.now())
      lanes.leave(pass, answer.ok ? null : answer.failure, endedAt)
    }
  }
  const durationMs = endedAt - startedAt
  metrics?.callEnded({ outcome: answer.ok ? 'completed' : nameOfFailure(answer.failure), durationMs })
  if (answer.ok) return { ...answer, durationMs }
  return { ok: false, message: shorten(answer.failure.message), durationMs }
}

const PROBE_MS = 10_000
const PROBES = { permits: 50, permitsPerKey: 5, waiting: 1000, waitingPerKey: 200 } as const

async function probe(context: Context, endpoint: ProbedEndpoint): Promise<boolean> {
  const { logger: _, metrics: __, ...quiet } = context
  if (!context.lanes.claimProbe(endpoint, context.clock.now())) return false
  const limits = { ...context.limits, dispatchMs: Math.min(context.limits.dispatchMs, PROBE_MS) }
  const send = async () => {
    const { target, ...ids } = endpoint.target()
    const call = { ...ids, capability: PROBE_CAPABILITY, input: {}, metadata: {}, endUserToken: undefined }
    return (await dispatch({ ...quiet, limits }, target, call)).ok
  }
  try {
    return await context.probes.run(endpoint.ownerId, send)
  } catch (error) {
    if (error instanceof SemaphoreFullError) return false
    throw error
  }
}

const MESSAGE_CHARACTERS = 4000

// Last of all: what is cut through can no longer be recognised and taken out.
function shorten(message: string): string {
  return message.length > MESSAGE_CHARACTERS ? `${message.slice(0, MESSAGE_CHARACTERS)}…` : message
}

interface Delivery {
  target: DispatchTarget
  call: DispatchCall
  pass: Pass
}

async function deliver(context: Context, delivery: Delivery): Promise<ReadAnswer> {
  const { target, call, pass } = delivery
  const { lane, address } = pass
  const message = compose(call)
  const limit = new CallLimit(context.limits.dispatchMs, call.signal)
  try {
    const { reply, secret } = await attempt(context, {
      target,
      address,
      message,
      limit,
      workedSecret: lane.workedSecret,
      held: call.held,
    })
    if (reply.ok) {
      lane.workedSecret = secret
      return await read(context, { target, call, body: reply.body, signal: limit })
    }
    if (reply.failure !== FAILURES.cancelled) report(context, delivery, reply.reason)
    return { ok: false, failure: reply.status === 404 ? notServed(reply.failure, call) : reply.failure }
  } finally {
    limit.release()
  }
}

// Its own handler's answer, and what a wrong path comes to. The probe is known to the SDK alone.
function notServed(failure: CallFailure, { capability }: DispatchCall): CallFailure {
  const message = `The endpoint answered with status 404: it does not serve “${capability}”.`
  return capability === PROBE_CAPABILITY ? { ...failure, message, name: UNKNOWN_PROBE } : { ...failure, message }
}

// What takes a fraction of a millisecond is not handed to a thread.
const LARGE_BYTES = 16 * 1024

function read(
  { answers, limits }: Context,
  { target, call, ...answer }: Pick<Delivery, 'target' | 'call'> & Pick<GivenAnswer, 'body' | 'signal'>,
): ReadAnswer | Promise<ReadAnswer> {
  const { endUserToken } = call
  if (!answers || answer.body.length <= LARGE_BYTES) return readAnswer({ ...answer, endUserToken, limits })
  return answers.read({ ...answer, ownerId: target.ownerId, endUserToken, limits })
}

function report({ logger }: Context, { target, call, pass }: Delivery, reason: string): void {
  const { executionId, callId, capability } = call
  const { origin } = pass.address
  const fields = { runtimeId: target.runtimeId, origin, executionId, callId, capability, reason }
  logger?.warn(fields, 'a capability call failed')
}
