import { Stop, type StopSignal } from '../lib/stop-signal.ts'
import { type CallFailure, FAILURES } from './failures.ts'

/** What ends a call from our side: its time is up, or its caller left. */
export interface CallLimit {
  /** Stops at the end, whichever kind it is. */
  readonly signal: StopSignal
  /** Which end it was; null until then. */
  failure(): CallFailure | null
  /** Lets go of the timer and of the caller's signal, which may live far longer than the call. */
  release(): void
}

/** Starts the clock of one call: the whole of it, both tries, from the first look-up to the last byte. */
export function limitCall(ms: number, caller: StopSignal | undefined): CallLimit {
  const stop = new Stop()
  let failure: CallFailure | null = null
  const end = (cause: CallFailure) => {
    failure ??= cause
    stop.abort()
  }
  const onCallerLeft = () => end(FAILURES.cancelled)
  const timer = setTimeout(() => end(FAILURES.timeout), ms)
  caller?.addEventListener('abort', onCallerLeft)
  if (caller?.aborted) onCallerLeft()
  return {
    signal: stop,
    failure: () => failure,
    release() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onCallerLeft)
    },
  }
}
