import { TimeLimitError, withinTime } from './time-limit.ts'

/** How long one check may take while nobody has abused that. */
const CHECK_MS = 250
const SHORTEST_CHECK_MS = 2
const HURRY_MS = 30_000

/** Runs checks of one schema, each within a time that shrinks. */
export interface Patience {
  /** Throws {@link TimeLimitError}. */
  run<T>(check: () => T): T
}

/**
 * Whoever found an input that takes too long must not be able to take that time again and again: each time that a check
 * runs out halves the next one's, until half a minute has passed without.
 */
export function createPatience(): Patience {
  let limitMs = CHECK_MS
  let hurriedUntil = 0
  return {
    run(check) {
      if (performance.now() >= hurriedUntil) limitMs = CHECK_MS
      try {
        return withinTime(limitMs, check)
      } catch (error) {
        if (!(error instanceof TimeLimitError)) throw error
        limitMs = Math.max(SHORTEST_CHECK_MS, limitMs / 2)
        hurriedUntil = performance.now() + HURRY_MS
        throw error
      }
    },
  }
}
