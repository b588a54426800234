import { Stop, type StopSignal } from '../lib/stop-signal.ts'

export interface Deadline {
  readonly signal: StopSignal
  /** Who ended it: the caller's signal or the time limit. Null while it runs. */
  endedBy(): 'caller' | 'time' | null
  /** Ends what still runs under it, and lets go of the caller's signal and the timer. */
  release(): void
}

/** A signal that fires with the caller's, or when the time is up. The caller's may outlive it without holding it. */
export function deadline(caller: StopSignal, limitMs: number): Deadline {
  const stop = new Stop()
  let endedBy: 'caller' | 'time' | null = null
  const end = (by: 'caller' | 'time') => {
    endedBy ??= by
    stop.abort()
  }
  const onCallerAbort = () => end('caller')
  const timer = setTimeout(() => end('time'), limitMs)
  caller.addEventListener('abort', onCallerAbort)
  if (caller.aborted) onCallerAbort()
  return {
    signal: stop,
    endedBy: () => endedBy,
    release() {
      clearTimeout(timer)
      caller.removeEventListener('abort', onCallerAbort)
      stop.abort()
    },
  }
}
