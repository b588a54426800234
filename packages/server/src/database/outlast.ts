import type { StopSignal } from '../stop-signal.ts'
import { isConnectionFault } from './errors.ts'

/** Waits for so many milliseconds. */
export type Pause = (ms: number) => Promise<unknown>

// A server that is started again, or a pooler, is back within seconds.
const PAUSES_MS = [50, 150, 500, 1_000, 2_000, 3_000]

/**
 * Repeats work that may be done more than once while connections to the database fail, for about seven seconds and what
 * the tries take. Throws at once what another connection would not mend, and in the end what was met last. Once `hurry`
 * says so, it tries once more and waits no longer.
 */
export async function outlast<T>(pause: Pause, work: () => Promise<T>, hurry?: StopSignal): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionFault(error) || hurry?.aborted) throw error
    }
    await (hurry ? pauseUnless(hurry, pause(pauseMs)) : pause(pauseMs))
  }
  return work()
}

async function pauseUnless(hurry: StopSignal, over: Promise<unknown>): Promise<void> {
  if (hurry.aborted) return
  let hasten = () => {}
  const hastened = new Promise<void>((resolve) => {
    hasten = resolve
  })
  hurry.addEventListener('abort', hasten)
  await Promise.race([over, hastened])
  hurry.removeEventListener('abort', hasten)
}
