import type { StopSignal } from '../stop-signal.ts'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'

/** On whose behalf something waits. */
export interface Asker {
  /** What waits leaves its line with this: nobody would hear the answer. */
  signal: StopSignal
  /** Those who ask through one door share places in an owner's line, and leave some to those who ask through others. */
  door: string
}

export interface WaitingLineOptions {
  limits: FairQueueLimits
  /** What has waited longer leaves. */
  waitMs: number
  now: () => number
}

interface Place<T> {
  item: T
  since: number
  /** Nothing takes it out of its line any more. */
  unwatch(): void
}

/** A {@link FairQueue} that is left by what has waited too long, and by whatever nobody asks for any more. */
export class WaitingLine<T extends { leave(): void }> {
  readonly #queue: FairQueue<Place<T>>
  readonly #waitMs: number
  readonly #now: () => number

  constructor({ limits, waitMs, now }: WaitingLineOptions) {
    this.#queue = new FairQueue(limits)
    this.#waitMs = waitMs
    this.#now = now
  }

  /** What has no place leaves at once. */
  push(ownerId: string, item: T, weight: number, asker?: Asker): void {
    const leave = () => {
      this.#queue.remove(ownerId, place)
      place.unwatch()
      item.leave()
    }
    const timer = setTimeout(leave, this.#waitMs)
    asker?.signal.addEventListener('abort', leave)
    const unwatch = () => {
      clearTimeout(timer)
      asker?.signal.removeEventListener('abort', leave)
    }
    const place: Place<T> = { item, since: this.#now(), unwatch }
    if (asker?.signal.aborted || this.#queue.push(ownerId, place, weight, asker?.door) !== null) leave()
  }

  /** Whose turn it is. A loop: thousands may have waited too long at once, where their timers are late. */
  shift(): T | undefined {
    for (;;) {
      const place = this.#queue.shift()
      place?.unwatch()
      if (place === undefined || this.#now() - place.since <= this.#waitMs) return place?.item
      place.item.leave()
    }
  }

  /** All leave. */
  clear(): void {
    for (let place = this.#queue.shift(); place !== undefined; place = this.#queue.shift()) {
      place.unwatch()
      place.item.leave()
    }
  }
}
