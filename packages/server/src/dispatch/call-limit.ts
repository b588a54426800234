import { type CallFailure, FAILURES } from './failures.ts'

/** What ends a call from our side: its time is up, or its caller left. */
export interface CallLimit {
  /** Aborted at the end, whichever kind it is. */
  readonly signal: AbortSignal
  /** Which end it was; null until then. */
  failure(): CallFailure | null
  /** Lets go of the timer and of the caller's signal, which may live far longer than the call. */
  release(): void
}

/** Starts the clock of one call: the whole of it, both tries, from the first look-up to the last byte. */
export function limitCall(ms: number, caller: AbortSignal | undefined): CallLimit {
  const controller = new AbortController()
  let failure: CallFailure | null = null
  const end = (cause: CallFailure) => {
    failure ??= cause
    controller.abort()
  }
  const onCallerLeft = () => end(FAILURES.cancelled)
  const timer = setTimeout(() => end(FAILURES.timeout), ms)
  caller?.addEventListener('abort', onCallerLeft, { once: true })
  if (caller?.aborted) onCallerLeft()
  return {
    signal: controller.signal,
    failure: () => failure,
    release() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onCallerLeft)
    },
  }
}
