import type { StopSignal } from './stop-signal.ts'

export interface SemaphoreLimits {
  /** Jobs that run at once, of all keys and of one. */
  permits: number
  permitsPerKey: number
  /** Jobs that wait for a permit, of all keys and of one. */
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

/** Bounds how many jobs run and wait at once. Keys take turns, so a key with many jobs delays no other key. */
export class KeyedSemaphore {
  readonly #limits: SemaphoreLimits
  readonly #running = new Map<string, number>()
  // A key moves to the end of the map when one of its jobs starts.
  readonly #queues = new Map<string, Waiter[]>()
  #runningCount = 0
  #waitingCount = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
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
    if (this.#waitingCount >= this.#limits.waiting) throw new SemaphoreFullError('all')
    if (queue.length >= this.#limits.waitingPerKey) throw new SemaphoreFullError('key')
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
    try {
      return await work()
    } finally {
      this.#runningCount -= 1
      const left = (this.#running.get(key) ?? 1) - 1
      if (left === 0) this.#running.delete(key)
      else this.#running.set(key, left)
      this.#startNext()
    }
  }

  #startNext(): void {
    for (const [key, queue] of this.#queues) {
      const [waiter] = queue
      if (waiter === undefined || !this.#mayStart(key)) continue
      this.#forget(key, waiter)
      const rest = this.#queues.get(key)
      if (rest && this.#queues.delete(key)) this.#queues.set(key, rest)
      waiter.start()
      return
    }
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
