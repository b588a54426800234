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

/** The queue is full for every key (`all`) or for this one (`key`), or the wait ended by its signal or its time (`wait`). */
export type RefusalReason = 'all' | 'key' | 'wait'

/** A job that did not start. */
export class RefusedError extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`the job was refused (${reason})`)
    this.reason = reason
  }
}

interface SemaphoreOptions {
  /** A job that waits longer is refused. */
  waitMs?: number
  /** The error of a refused job. */
  refusal?: (reason: RefusalReason) => Error
  now?: () => number
}

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
  readonly #waitMs: number
  readonly #refusal: (reason: RefusalReason) => Error
  readonly #running = new Map<string, number>()
  // A key moves to the end of the map when one of its jobs starts.
  readonly #queues = new Map<string, Start[]>()
  readonly #usedMs = new Lru<string, number>(MAX_KEYS)
  #mostUsedMs = 0
  #runningCount = 0
  #waitingCount = 0

  constructor(limits: SemaphoreLimits, options: SemaphoreOptions = {}) {
    this.#limits = limits
    this.#now = options.now ?? (() => performance.now())
    this.#waitMs = options.waitMs ?? Number.POSITIVE_INFINITY
    this.#refusal = options.refusal ?? ((reason) => new RefusedError(reason))
  }

  get running(): number {
    return this.#runningCount
  }

  get waiting(): number {
    return this.#waitingCount
  }

  /** Runs `work` once a permit is free. Rejects with the refusal where the queue is full, or the wait ends before. */
  async run<T>(key: string, work: () => Promise<T>, signal?: StopSignal): Promise<T> {
    if (signal?.aborted) throw this.#refusal('wait')
    if (this.#mayStart(key)) return this.#perform(key, work)
    const queue = this.#queues.get(key) ?? []
    const places = Math.min(this.#limits.waiting - this.#waitingCount, this.#limits.waitingPerKey)
    if (queue.length >= places) throw this.#refusal(queue.length === 0 ? 'all' : 'key')
    return new Promise<T>((resolve, reject) => {
      const endWait = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      }
      const cancel = () => {
        endWait()
        this.#remove(key, start)
        reject(this.#refusal('wait'))
      }
      const start = () => {
        endWait()
        this.#perform(key, work).then(resolve, reject)
      }
      const timer = Number.isFinite(this.#waitMs) ? setTimeout(cancel, this.#waitMs) : undefined
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
