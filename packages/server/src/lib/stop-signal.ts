/** The part of AbortSignal that calls use. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A light AbortController that is its own signal: the one of Node costs ten times as much, more than signing a call. */
export class Stop implements StopSignal {
  // An array, because there are few: a set costs more.
  readonly #listeners: (() => void)[] = []
  #aborted = false

  get aborted(): boolean {
    return this.#aborted
  }

  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    for (let next = this.#listeners.shift(); next; next = this.#listeners.shift()) next()
  }

  /** Has no effect after `abort`. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted && !this.#listeners.includes(listener)) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at !== -1) this.#listeners.splice(at, 1)
  }
}

/** Resolves after `ms`, or when `signal` aborts. */
export function pauseUntilStopped(ms: number, signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

/** The result of `work`, or null once `signal` aborts. The work is not stopped. */
export function unlessStopped<T>(work: Promise<T>, signal: StopSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    const finish = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(finish)
    if (signal.aborted) stop()
  })
}
