import { KeyedSemaphore, SemaphoreFullError, type SemaphoreLimits, WaitCancelledError } from './keyed-semaphore.ts'
import { Stop, type StopSignal } from './stop-signal.ts'

export interface RunQueueOptions {
  limits: SemaphoreLimits
  /** A job that has waited longer does not run. */
  waitMs: number
  /** What a job that does not run is refused with. */
  refusal: () => Error
}

export type RunQueue = <T>(key: string, work: () => Promise<T>, signal?: StopSignal) => Promise<T>

/** Runs work in the order of a {@link KeyedSemaphore}, unless there is no room, it waits too long, or its signal stops first. */
export function createRunQueue({ limits, waitMs, refusal }: RunQueueOptions, now?: () => number): RunQueue {
  const semaphore = new KeyedSemaphore(limits, now)
  return async (key, work, signal) => {
    const leaving = new Stop()
    const leave = () => leaving.abort()
    const timer = setTimeout(leave, waitMs)
    const stopWaiting = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave)
    const begin = () => {
      stopWaiting()
      return work()
    }
    try {
      return await semaphore.run(key, begin, leaving)
    } catch (error) {
      if (error instanceof SemaphoreFullError || error instanceof WaitCancelledError) throw refusal()
      throw error
    } finally {
      stopWaiting()
    }
  }
}
