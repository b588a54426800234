import { Stop, type StopSignal } from './stop-signal.ts'

/** Stops when its time is up, or with the caller's signal, whichever comes first. */
export class Deadline extends Stop {
  readonly #caller: StopSignal | undefined
  readonly #timer: NodeJS.Timeout
  readonly #onCallerStop = () => this.#end('caller')
  #endedBy: 'caller' | 'time' | null = null

  constructor(limitMs: number, caller?: StopSignal) {
    super()
    this.#caller = caller
    this.#timer = setTimeout(() => this.#end('time'), limitMs)
    caller?.addEventListener('abort', this.#onCallerStop)
    if (caller?.aborted) this.#onCallerStop()
  }

  /** Null while it runs. */
  get endedBy(): 'caller' | 'time' | null {
    return this.#endedBy
  }

  /** Clears the timer and leaves the caller's signal, which may live far longer. */
  release(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onCallerStop)
  }

  #end(by: 'caller' | 'time'): void {
    this.#endedBy ??= by
    this.abort()
  }
}
