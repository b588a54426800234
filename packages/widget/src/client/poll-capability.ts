import type { JsonObject } from '@svc/contract'
import { ClientError } from './client-error.ts'
import type { Clock } from './clock.ts'
import type { CapabilityResult, ExecutionClient } from './execution-client.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { Visibility } from './visibility.ts'

/** No poll of a wait begins sooner after the answer to the one before, whatever asks for it. */
export const POLL_FLOOR_MS = 1000
// An answer that takes longer is taken as lost.
const LONGEST_POLL_MS = 30_000
// A request right before the deadline still gets this long.
const LAST_POLL_MS = 5000

export interface Poll {
  capability: string
  input: JsonObject
  intervalMs: number
  /** Milliseconds since the epoch. After it the capability is asked one last time. */
  deadlineAt: number
  isSettled(output: unknown): boolean
  signal: AbortSignal
}

export interface PollDeps {
  client: Pick<ExecutionClient, 'callCapability'>
  clock: Clock
  visibility: Visibility
  /** Lets the polls of several waits ask one after the other; without it each asks at once. */
  inTurn?: (<T>(ask: () => Promise<T>) => Promise<T>) | undefined
}

/** How a wait ended: with the output that settled it, at its deadline, or because the capability cannot be asked. */
export type PollEnd =
  | { type: 'settled'; output: unknown }
  | { type: 'expired' }
  | { type: 'refused'; error: ClientError }

/**
 * Asks a capability at intervals until its output is settled, one request at a time, and at once when the page is
 * returned to. Failures of the capability and of the network are asked again. Throws the signal’s reason once aborted.
 */
export async function pollCapability(deps: PollDeps, poll: Poll): Promise<PollEnd> {
  const { clock } = deps
  const intervalMs = Math.max(POLL_FLOOR_MS, poll.intervalMs)
  let wakeAt = clock.now() + intervalMs
  let floorAt = Math.min(clock.now() + POLL_FLOOR_MS, poll.deadlineAt)
  for (;;) {
    const { deadlineAt, signal } = poll
    await pause(deps, { wakeAt: Math.min(wakeAt, deadlineAt), floorAt: Math.min(floorAt, deadlineAt), signal })
    // The deadline lies within the time in which nothing may be asked.
    if (floorAt > deadlineAt) return { type: 'expired' }
    const dueAt = clock.now() + intervalMs
    const heard = await hear(deps, poll)
    if (heard.type !== 'open') return heard
    if (clock.now() >= deadlineAt) return { type: 'expired' }
    floorAt = clock.now() + Math.max(POLL_FLOOR_MS, heard.holdMs)
    wakeAt = Math.max(dueAt, floorAt)
  }
}

/** Nothing yet; for so long the service wants not to be asked. */
interface Open {
  type: 'open'
  holdMs: number
}

async function hear(deps: PollDeps, poll: Poll): Promise<PollEnd | Open> {
  try {
    const { output, error } = await ask(deps, poll)
    return error === null && poll.isSettled(output) ? { type: 'settled', output } : { type: 'open', holdMs: 0 }
  } catch (error) {
    poll.signal.throwIfAborted()
    if (!(error instanceof ClientError)) throw error
    return FINAL.has(error.kind) ? { type: 'refused', error } : { type: 'open', holdMs: error.retryAfterMs ?? 0 }
  }
}

// Asking again does not change these.
const FINAL: ReadonlySet<ClientError['kind']> = new Set(['unauthorized', 'forbidden', 'not_found', 'invalid'])

// Neither its turn nor its answer is waited for without end: a connection that hangs says nothing.
async function ask({ client, clock, inTurn = atOnce }: PollDeps, poll: Poll): Promise<CapabilityResult> {
  const { capability, input } = poll
  const late = new AbortController()
  const signal = AbortSignal.any([poll.signal, late.signal])
  const lateAfter = (ms: number) =>
    clock.after(ms, () => late.abort(new ClientError('unreachable', 'The answer took too long.')))
  const timers = [lateAfter(Math.max(poll.deadlineAt - clock.now(), LAST_POLL_MS))]
  const asked = inTurn(() => {
    signal.throwIfAborted()
    timers.push(lateAfter(LONGEST_POLL_MS))
    return unlessAborted(client.callCapability({ capability, input, signal }), signal)
  })
  try {
    return await unlessAborted(asked, signal)
  } finally {
    for (const callOff of timers) callOff()
  }
}

function atOnce<T>(ask: () => Promise<T>): Promise<T> {
  return ask()
}

function pause(
  { clock, visibility }: PollDeps,
  { wakeAt, floorAt, signal }: { wakeAt: number; floorAt: number; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      callOff()
      unwatch()
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = () => end(() => reject(signal.reason))
    let callOff = clock.after(Math.max(0, wakeAt - clock.now()), () => end(resolve))
    const unwatch = visibility.onVisible(() => {
      callOff()
      callOff = clock.after(Math.max(0, floorAt - clock.now()), () => end(resolve))
    })
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}
