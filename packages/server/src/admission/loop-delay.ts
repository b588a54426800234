import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

/** How late the event loop is. */
export interface LoopDelay {
  /** Mean of the last look, in milliseconds. */
  readonly delayMs: number
}

/** For a service whose load nobody looks at. */
export const NO_DELAY: LoopDelay = { delayMs: 0 }

const RESOLUTION_MS = 10
const LOOK_EVERY_MS = 50

/** Samples Node's own histogram, when it is asked and at most every 50 ms. */
export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let lookedAt = performance.now()
  let delayMs = 0
  return {
    get delayMs() {
      const now = performance.now()
      if (now - lookedAt < LOOK_EVERY_MS || histogram.count === 0) return delayMs
      delayMs = Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS)
      histogram.reset()
      lookedAt = now
      return delayMs
    },
  }
}
