import { Stop, type StopSignal } from '../lib/stop-signal.ts'
import { type CallFailure, FAILURES } from './failures.ts'

/**
 * Ends a call from our side: its time is up, or its caller left. The clock runs from the start: over the whole of
 * the call, both tries, from the first look-up to the last byte.
 */
export class CallLimit extends Stop {
  readonly #caller: StopSignal | undefined
  readonly #timer: NodeJS.Timeout
  readonly #onCallerLeft = () => this.#end(FAILURES.cancelled)
  #failure: CallFailure = FAILURES.cancelled

  constructor(ms: number, caller: StopSignal | undefined) {
    super()
    this.#caller = caller
    this.#timer = setTimeout(() => this.#end(FAILURES.timeout), ms)
    caller?.addEventListener('abort', this.#onCallerLeft)
    if (caller?.aborted) this.#onCallerLeft()
  }

  /** Which end it was. */
  get failure(): CallFailure {
    return this.#failure
  }

  /** Lets go of the timer and of the caller's signal, which may live far longer than the call. */
  release(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onCallerLeft)
  }

  #end(failure: CallFailure): void {
    if (!this.aborted) this.#failure = failure
    this.abort()
  }
}
