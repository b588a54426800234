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

/** The part of Node's delay histogram that is used; times in nanoseconds. */
export interface DelayHistogram {
  readonly count: number
  readonly mean: number
  reset(): void
}

/** Node's own measurement of this process. */
export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return sampleLoopDelay(histogram, () => performance.now())
}

/** Reads a histogram when it is asked, at most every 50 ms, and begins it anew. */
export function sampleLoopDelay(histogram: DelayHistogram, now: () => number): LoopDelay {
  let lookedAt = now()
  let delayMs = 0
  return {
    get delayMs() {
      const at = now()
      if (at - lookedAt < LOOK_EVERY_MS || histogram.count === 0) return delayMs
      delayMs = Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS)
      histogram.reset()
      lookedAt = at
      return delayMs
    },
  }
}
