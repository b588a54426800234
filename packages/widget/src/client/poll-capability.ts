import type { JsonObject } from '@svc/contract'
import { ClientError } from './client-error.ts'
import type { Clock } from './clock.ts'
import type { ExecutionClient } from './execution-client.ts'
import type { Visibility } from './visibility.ts'

/** No two polls of one wait begin closer together than this, whatever asks for them. */
export const POLL_FLOOR_MS = 1000

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
  const { client, clock } = deps
  const intervalMs = Math.max(POLL_FLOOR_MS, poll.intervalMs)
  let wakeAt = clock.now() + intervalMs
  let floorAt = clock.now() + POLL_FLOOR_MS
  for (;;) {
    await pause(deps, { wakeAt: Math.min(wakeAt, poll.deadlineAt), floorAt, signal: poll.signal })
    floorAt = clock.now() + POLL_FLOOR_MS
    wakeAt = clock.now() + intervalMs
    try {
      const { output, error } = await client.callCapability(poll)
      if (error === null && poll.isSettled(output)) return { type: 'settled', output }
    } catch (error) {
      poll.signal.throwIfAborted()
      if (!(error instanceof ClientError)) throw error
      if (FINAL.has(error.kind)) return { type: 'refused', error }
      floorAt = Math.max(floorAt, clock.now() + (error.retryAfterMs ?? 0))
      wakeAt = Math.max(wakeAt, floorAt)
    }
    if (clock.now() >= poll.deadlineAt) return { type: 'expired' }
  }
}

// Asking again does not change these.
const FINAL: ReadonlySet<ClientError['kind']> = new Set(['unauthorized', 'forbidden', 'not_found', 'invalid'])

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
