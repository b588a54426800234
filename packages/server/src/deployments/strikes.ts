import { Lru } from '../lru.ts'
import type { TimeLimitError } from './time-limit.ts'

/** How long one that was stopped counts, from the last one on. */
export const STRIKE_MS = 30_000
const MAX_OWNERS = 10_000
// Once may be the engine's doing: code that runs for the first time.
const MAX_STRIKES = 2
// Where the machine is to blame, others were held up all the same.
const WEIGHT_WHERE_BUSY = 1 / 8

/** Counts, by owner, what had to be stopped because it took too long. */
export interface Strikes {
  add(ownerId: string, stopped: TimeLimitError): void
  /** Whether it was so much that nothing of this owner's that may take long should be tried for now. */
  isOut(ownerId: string): boolean
}

export function createStrikes(now: () => number): Strikes {
  const strikes = new Lru<string, { count: number; until: number }>(MAX_OWNERS)
  const countOf = (ownerId: string) => {
    const known = strikes.get(ownerId)
    return known && known.until > now() ? known.count : 0
  }
  return {
    add(ownerId, { hadFairShare }) {
      const count = countOf(ownerId) + (hadFairShare ? 1 : WEIGHT_WHERE_BUSY)
      strikes.set(ownerId, { count, until: now() + STRIKE_MS })
    },
    isOut: (ownerId) => countOf(ownerId) >= MAX_STRIKES,
  }
}
