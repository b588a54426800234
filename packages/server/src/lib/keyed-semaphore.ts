import { Lru } from './lru.ts'
import type { StopSignal } from './stop-signal.ts'

export interface SemaphoreLimits {
  /** Jobs that run at once, of all keys and of one. */
  permits: number
  permitsPerKey: number
  /** Jobs that wait, of all keys and of one. A key may add one while fewer of its own wait than places are free. */
  waiting: number
  waitingPerKey: number
}

/** The queue has no room: for anybody (`all`), or for this key (`key`). */
export class SemaphoreFullError extends Error {
  readonly scope: 'all' | 'key'

  constructor(scope: 'all' | 'key') {
    super(`the queue is full (${scope})`)
    this.scope = scope
  }
}

/** The job was cancelled while it waited; its work never began. */
export class WaitCancelledError extends Error {}

interface Waiter {
  start(): void
}

/** A key is at most so far ahead of the others: longer than most jobs take. */
const MAX_LEAD_MS = 1_000
const MAX_KEYS = 10_000

/**
 * Bounds how many jobs run and wait at once. The key whose jobs have taken the least time is next, so a key with many or
 * long jobs delays no other key; keys that are level take turns.
 */
export class KeyedSemaphore {
  readonly #limits: SemaphoreLimits
  readonly #now: () => number
  readonly #running = new Map<string, number>()
  // A key moves to the end of the map when one of its jobs starts.
  readonly #queues = new Map<string, Waiter[]>()
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
   * Runs `work` once a permit is free. Throws {@link SemaphoreFullError} synchronously, before anything was done, where
   * the queue is full; rejects with {@link WaitCancelledError} when the signal aborts while the job still waits.
   */
  run<T>(key: string, work: () => Promise<T>, signal?: StopSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(new WaitCancelledError())
    if (this.#mayStart(key)) return this.#perform(key, work)
    const queue = this.#queues.get(key) ?? []
    const places = Math.min(this.#limits.waiting - this.#waitingCount, this.#limits.waitingPerKey)
    if (queue.length >= places) throw new SemaphoreFullError(queue.length === 0 ? 'all' : 'key')
    return new Promise<T>((resolve, reject) => {
      const abort = () => {
        this.#forget(key, waiter)
        reject(new WaitCancelledError())
      }
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', abort)
          this.#perform(key, work).then(resolve, reject)
        },
      }
      signal?.addEventListener('abort', abort)
      queue.push(waiter)
      this.#queues.set(key, queue)
      this.#waitingCount += 1
    })
  }

  #mayStart(key: string): boolean {
    return this.#runningCount < this.#limits.permits && (this.#running.get(key) ?? 0) < this.#limits.permitsPerKey
  }

  async #perform<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#runningCount += 1
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
    const startedAt = this.#now()
    this.#mostUsedMs = Math.max(this.#mostUsedMs, this.#usedBy(key))
    try {
      return await work()
    } finally {
      this.#usedMs.set(key, this.#usedBy(key) + this.#now() - startedAt)
      this.#runningCount -= 1
      const left = (this.#running.get(key) ?? 1) - 1
      if (left === 0) this.#running.delete(key)
      else this.#running.set(key, left)
      this.#startNext()
    }
  }

  #startNext(): void {
    let [next, leastMs]: [string | null, number] = [null, Number.POSITIVE_INFINITY]
    for (const key of this.#queues.keys()) {
      const usedMs = this.#usedBy(key)
      if (usedMs < leastMs && this.#mayStart(key)) [next, leastMs] = [key, usedMs]
    }
    const waiter = next === null ? undefined : this.#queues.get(next)?.[0]
    if (next === null || waiter === undefined) return
    this.#forget(next, waiter)
    const rest = this.#queues.get(next)
    if (rest && this.#queues.delete(next)) this.#queues.set(next, rest)
    waiter.start()
  }

  #usedBy(key: string): number {
    return Math.max(this.#usedMs.get(key) ?? 0, this.#mostUsedMs - MAX_LEAD_MS)
  }

  #forget(key: string, waiter: Waiter): void {
    const queue = this.#queues.get(key) ?? []
    const at = queue.indexOf(waiter)
    if (at === -1) return
    queue.splice(at, 1)
    if (queue.length === 0) this.#queues.delete(key)
    this.#waitingCount -= 1
  }
}
