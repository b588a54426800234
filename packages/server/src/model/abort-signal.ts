import type { StopSignal } from '../lib/stop-signal.ts'

/** A signal as libraries take it, which aborts when `stop` does. Making one costs as much as a whole call of ours. */
export function abortSignalOf(stop: StopSignal): AbortSignal {
  const controller = new AbortController()
  if (stop.aborted) controller.abort()
  else stop.addEventListener('abort', () => controller.abort())
  return controller.signal
}
