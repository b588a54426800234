import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import type { StopSignal } from '../lib/stop-signal.ts'

/** After a piece of work the event loop is left to others for this many times its duration. */
const REST_FACTOR = 2
// The queue is bounded by the bytes that an account may hold.
const LIMITS = { permits: 1, permitsPerKey: 1, waiting: Infinity, waitingPerKey: Infinity }

/** A monotonic clock in milliseconds, and a sleep. */
export interface LoopTimes {
  now(): number
  rest(ms: number): Promise<unknown>
}

/** Runs long synchronous work one piece at a time, with rests between, in turns of accounts. */
export class SynchronousWork {
  readonly #semaphore: KeyedSemaphore
  readonly #times: LoopTimes

  constructor(times: LoopTimes) {
    this.#times = times
    this.#semaphore = new KeyedSemaphore(LIMITS, times)
  }

  /** Resolves after the rest; rejects where `signal` stops before the work began. */
  run(accountId: string, work: () => void, signal: StopSignal): Promise<void> {
    const workAndRest = async () => {
      const startedAt = this.#times.now()
      work()
      await this.#times.rest((this.#times.now() - startedAt) * REST_FACTOR)
    }
    return this.#semaphore.run(accountId, workAndRest, signal)
  }
}
