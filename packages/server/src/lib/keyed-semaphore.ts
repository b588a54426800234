import { Lru } from './lru.ts'
import type { StopSignal } from './stop-signal.ts'

export interface SemaphoreLimits {
  /** Running jobs, of all keys and of one. */
  permits: number
  permitsPerKey: number
  /** Waiting jobs, of all keys and of one. A key may also wait with no more jobs than there are free places. */
  waiting: number
  waitingPerKey: number
}

/** The queue is full for every key (`all`), or for this one (`key`). */
export class SemaphoreFullError extends Error {
  readonly scope: 'all' | 'key'

  constructor(scope: 'all' | 'key') {
    super(`the queue is full (${scope})`)
    this.scope = scope
  }
}

/** The job was cancelled while it waited, and did not start. */
export class WaitCancelledError extends Error {}

type Start = () => void

/** The most by which the used time of a key can count as less than that of others: longer than most jobs take. */
const MAX_LEAD_MS = 1_000
const MAX_KEYS = 10_000

/**
 * A semaphore with fair queueing: the next job is of the key whose jobs have used the least time, so a key with many or
 * long jobs delays no other key. Keys that have used the same time alternate.
 */
export class KeyedSemaphore {
  readonly #limits: SemaphoreLimits
  readonly #now: () => number
  readonly #running = new Map<string, number>()
  // A key moves to the end of the map when one of its jobs starts.
  readonly #queues = new Map<string, Start[]>()
  readonly #usedMs = new Lru<string, number>(MAX_KEYS)
  #mostUsedMs = 0
  #runningCount = 0
  #waitingCount = 0

  constructor(limits: SemaphoreLimits, now = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  get running(): number {
    return this.#runningCount
  }

  get waiting(): number {
    return this.#waitingCount
  }

  /**
   * Runs `work` once a permit is free. Throws {@link SemaphoreFullError} synchronously where the queue is full; rejects with
   * {@link WaitCancelledError} when the signal aborts while the job waits, or it waits longer than `maxWaitMs`.
   */
  run<T>(key: string, work: () => Promise<T>, signal?: StopSignal, maxWaitMs = Infinity): Promise<T> {
    if (signal?.aborted) return Promise.reject(new WaitCancelledError())
    if (this.#mayStart(key)) return this.#perform(key, work)
    const queue = this.#queues.get(key) ?? []
    const places = Math.min(this.#limits.waiting - this.#waitingCount, this.#limits.waitingPerKey)
    if (queue.length >= places) throw new SemaphoreFullError(queue.length === 0 ? 'all' : 'key')
    return new Promise<T>((resolve, reject) => {
      const endWait = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      }
      const cancel = () => {
        endWait()
        this.#remove(key, start)
        reject(new WaitCancelledError())
      }
      const start = () => {
        endWait()
        this.#perform(key, work).then(resolve, reject)
      }
      const timer = maxWaitMs === Infinity ? undefined : setTimeout(cancel, maxWaitMs)
      signal?.addEventListener('abort', cancel)
      queue.push(start)
      this.#queues.set(key, queue)
      this.#waitingCount += 1
    })
  }

  #mayStart(key: string): boolean {
    return this.#runningCount < this.#limits.permits && (this.#running.get(key) ?? 0) < this.#limits.permitsPerKey
  }

  async #perform<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#count(key, 1)
    const startedAt = this.#now()
    this.#mostUsedMs = Math.max(this.#mostUsedMs, this.#usedBy(key))
    try {
      return await work()
    } finally {
      this.#usedMs.set(key, this.#usedBy(key) + this.#now() - startedAt)
      this.#count(key, -1)
      this.#startNext()
    }
  }

  #count(key: string, change: 1 | -1): void {
    this.#runningCount += change
    const running = (this.#running.get(key) ?? 0) + change
    if (running === 0) this.#running.delete(key)
    else this.#running.set(key, running)
  }

  #startNext(): void {
    let [next, leastMs]: [string | null, number] = [null, Number.POSITIVE_INFINITY]
    for (const key of this.#queues.keys()) {
      const usedMs = this.#usedBy(key)
      if (usedMs < leastMs && this.#mayStart(key)) [next, leastMs] = [key, usedMs]
    }
    const start = next === null ? undefined : this.#queues.get(next)?.[0]
    if (next === null || start === undefined) return
    this.#remove(next, start)
    const rest = this.#queues.get(next)
    if (rest && this.#queues.delete(next)) this.#queues.set(next, rest)
    start()
  }

  #usedBy(key: string): number {
    return Math.max(this.#usedMs.get(key) ?? 0, this.#mostUsedMs - MAX_LEAD_MS)
  }

  #remove(key: string, start: Start): void {
    const queue = this.#queues.get(key) ?? []
    const at = queue.indexOf(start)
    if (at === -1) return
    queue.splice(at, 1)
    if (queue.length === 0) this.#queues.delete(key)
    this.#waitingCount -= 1
  }
}
