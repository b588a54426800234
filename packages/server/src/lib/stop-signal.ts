/** What a call needs of an AbortSignal, and every AbortSignal is one. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Stops once what listens to it. An AbortController costs a call ten times as much, and more than its signature. */
export class Stop implements StopSignal {
  // A list: there are a few at most, and making a set costs more than looking through it.
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

  /** Nothing is heard where it has been stopped before. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted && !this.#listeners.includes(listener)) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at !== -1) this.#listeners.splice(at, 1)
  }
}

/** Resolves after `ms`, or when `signal` stops. */
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

/** What `work` comes to, or null as soon as `signal` stops: nobody waits for the work any more then. */
export function unlessStopped<T>(work: Promise<T>, signal: StopSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    const finish = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(finish)
    if (signal.aborted) stop()
  })
}
