import type { TestClock } from '../../../server/test/support/clock.ts'

/** A clock that goes as the real one does, from wherever it was moved to. */
export interface StageClock extends TestClock {
  /** Moves it so many days and milliseconds from the present moment. */
  setDaysAgo(days: number, offsetMs: number): void
  /** Moves it on by some time between the two, in milliseconds; the same ones each time the pictures are taken. */
  spend(leastMs: number, mostMs: number): void
  /** The time, as somebody tells it who takes a while to look. */
  lookSlowly(): number
}

const DAY_MS = 86_400_000

export function createStageClock(): StageClock {
  let aheadMs = -7 * DAY_MS
  let drawn = 1
  const draw = () => {
    drawn = (drawn * 48_271) % 2_147_483_647
    return drawn / 2_147_483_647
  }
  const clock: StageClock = {
    now: () => Date.now() + aheadMs,
    advance(ms) {
      aheadMs += ms
    },
    setDaysAgo(days, offsetMs) {
      aheadMs = offsetMs - days * DAY_MS
    },
    spend(leastMs, mostMs) {
      aheadMs += Math.round(leastMs + draw() * (mostMs - leastMs))
    },
    lookSlowly() {
      clock.spend(15, 60)
      return clock.now()
    },
  }
  return clock
}
