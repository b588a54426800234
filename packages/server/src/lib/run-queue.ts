import { KeyedSemaphore, SemaphoreFullError, type SemaphoreLimits, WaitCancelledError } from './keyed-semaphore.ts'
import type { StopSignal } from './stop-signal.ts'

export interface RunQueueOptions {
  limits: SemaphoreLimits
  /** A job that waits longer is refused. */
  waitMs: number
  refusal: () => Error
}

export type RunQueue = <T>(key: string, work: () => Promise<T>, signal?: StopSignal) => Promise<T>

/** A {@link KeyedSemaphore} that refuses a job where the queue is full, the job waits too long, or its signal aborts first. */
export function createRunQueue({ limits, waitMs, refusal }: RunQueueOptions, now?: () => number): RunQueue {
  const semaphore = new KeyedSemaphore(limits, now)
  return async (key, work, signal) => {
    try {
      return await semaphore.run(key, work, signal, waitMs)
    } catch (error) {
      throw error instanceof SemaphoreFullError || error instanceof WaitCancelledError ? refusal() : error
    }
  }
}
