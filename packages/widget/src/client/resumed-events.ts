import type { StreamEvent } from '@svc/contract'
import { ClientError } from './client-error.ts'
import type { Clock } from './clock.ts'
import type { NumberedEvent } from './read-events.ts'
import { unlessAborted } from './unless-aborted.ts'

/** A streamed execution that can be resumed and cancelled. The key is a secret of this page. */
export interface ExecutionRun {
  executionId: string
  resumeKey: string
}

interface Resuming {
  clock: Clock
  signal: AbortSignal | undefined
  /** Null: it is in the first event. */
  run: ExecutionRun | null
  /** Opens the stream after an event. Null: a lost connection is the end. */
  reopen: ((run: ExecutionRun, after: number) => Promise<AsyncIterable<NumberedEvent>>) | null
}

// As long as the service keeps the events of an execution that has ended.
const LONGEST_MS = 300_000
const WAITS_MS = [250, 1000, 2000, 4000]

/** The connection of an earlier page. */
export async function* lostBefore(): AsyncGenerator<NumberedEvent> {
  yield* []
  throw new ClientError('interrupted', 'The connection was lost before the answer was complete.')
}

/** The events of a run, each once. Where the connection is lost it is opened again, until the service holds them no more. */
export async function* resumedEvents(
  first: AsyncIterable<NumberedEvent>,
  resuming: Resuming,
): AsyncGenerator<StreamEvent> {
  let { run } = resuming
  let lastId = 0
  for (let events = first; ; ) {
    try {
      for await (const { id, event } of events) {
        if (event.type === 'execution') run = event
        lastId = Math.max(lastId, id)
        yield event
        if (event.type === 'done') return
      }
    } catch (error) {
      const { signal, reopen } = resuming
      if (signal?.aborted || run === null || reopen === null || !isLost(error)) throw error
      const [lost, after] = [run, lastId]
      events = await reopened(resuming, error, () => reopen(lost, after))
    }
  }
}

/** Tries again until `open` is answered. What is thrown is the loss, whatever the reason that it cannot go on. */
export async function reopened<T>(
  { clock, signal }: Pick<Resuming, 'clock' | 'signal'>,
  lost: unknown,
  open: () => Promise<T>,
): Promise<T> {
  const until = clock.now() + LONGEST_MS
  let waitMs = WAITS_MS[0] ?? 0
  for (let tries = 1; clock.now() + waitMs < until; tries += 1) {
    await unlessAborted(pause(clock, waitMs), signal)
    try {
      return await open()
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw lost
      waitMs = error.retryAfterMs ?? WAITS_MS[Math.min(tries, WAITS_MS.length - 1)] ?? 0
    }
  }
  throw lost
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}

function isLost(error: unknown): error is ClientError {
  return error instanceof ClientError && error.kind === 'interrupted'
}

/** Whether the next request may be answered. */
export function isPassing(error: unknown): error is ClientError {
  return error instanceof ClientError && ['unreachable', 'rate_limited', 'unavailable'].includes(error.kind)
}
