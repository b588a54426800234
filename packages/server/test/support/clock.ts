import type { Clock } from '../../src/lib/clock.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  advance(ms: number): void
}

export function createTestClock(startMs = Date.parse('2026-03-01T12:00:00Z')): TestClock {
  let time = startMs
  return {
    now: () => time,
    advance(ms) {
      time += ms
    },
  }
}
