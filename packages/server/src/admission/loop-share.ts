import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import type { StopSignal } from '../lib/stop-signal.ts'

/** After a piece of work, the event loop is left to others for so many times what it took. */
const REST_FACTOR = 2
// The bytes that an account may hold bound its queue.
const TURNS = { permits: 1, permitsPerKey: 1, waiting: Infinity, waitingPerKey: Infinity }

/** Milliseconds from any start, and a wait of so many. */
export interface LoopTimes {
  now(): number
  rest(ms: number): Promise<unknown>
}

/** Runs long work of the event loop piece by piece, with rests between: accounts take turns, and small requests need none. */
export class LoopShare {
  readonly #turns: KeyedSemaphore
  readonly #times: LoopTimes

  constructor(times: LoopTimes) {
    this.#times = times
    this.#turns = new KeyedSemaphore(TURNS, times.now)
  }

  /** Resolves after the rest; rejects where `signal` stops before the work began. */
  run(accountId: string, work: () => void, signal: StopSignal): Promise<void> {
    return this.#turns.run(
      accountId,
      async () => {
        const startedAt = this.#times.now()
        work()
        await this.#times.rest((this.#times.now() - startedAt) * REST_FACTOR)
      },
      signal,
    )
  }
}
