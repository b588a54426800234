import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

export interface LoopDelay {
  /** Mean delay of the event loop since the last sample, in milliseconds. */
  readonly delayMs: number
}

export const NO_DELAY: LoopDelay = { delayMs: 0 }

const RESOLUTION_MS = 10
const SAMPLE_MS = 50

/** The used part of Node's delay histogram; times in nanoseconds. */
export interface DelayHistogram {
  readonly count: number
  readonly mean: number
  reset(): void
}

export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return sampleLoopDelay(histogram, () => performance.now())
}

/** Samples a histogram when the delay is read, at most every 50 ms, and resets it. */
export function sampleLoopDelay(histogram: DelayHistogram, now: () => number): LoopDelay {
  let sampledAt = now()
  let delayMs = 0
  return {
    get delayMs() {
      const at = now()
      if (at - sampledAt < SAMPLE_MS || histogram.count === 0) return delayMs
      delayMs = Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS)
      histogram.reset()
      sampledAt = at
      return delayMs
    },
  }
}
