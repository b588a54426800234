import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TIERS } from '../../src/usage/tiers.ts'
import { available, type BucketRate, missingMs, perHour, perMinute, take } from '../../src/usage/token-bucket.js'

const START = Date.parse('2026-03-01T12:00:00Z')

const rate: fc.Arbitrary<BucketRate> = fc.record({
  unitMs: fc.integer({ min: 1, max: 200_000 }),
  burst: fc.integer({ min: 1, max: 60 }),
})

/** Takes as often as it is let, and tells how often that was. */
function drain(fullAt: number, of: BucketRate, now: number): { taken: number; fullAt: number; retryAfterMs: number } {
  let state = fullAt
  for (let taken = 0; ; taken += 1) {
    const result = take(state, of, now)
    if (!result.ok) return { taken, fullAt: state, retryAfterMs: result.retryAfterMs }
    state = result.fullAt
  }
}

describe('what is granted', () => {
  test('never exceeds the burst and what has flowed in since, over any takes and any moves of the clock', () => {
    const moves = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400_000 })), {
      minLength: 1,
      maxLength: 200,
    })
    fc.assert(
      fc.property(rate, moves, (of, steps) => {
        const grantedAt: number[] = []
        let fullAt = 0
        let now = START
        for (const step of steps) {
          now += step
          const result = take(fullAt, of, now)
          if (!result.ok) continue
          grantedAt.push(now)
          fullAt = result.fullAt
        }
        for (const [first, from] of grantedAt.entries()) {
          const last = grantedAt.length - 1
          expect(last - first + 1).toBeLessThanOrEqual(
            of.burst + Math.floor(((grantedAt[last] ?? now) - from) / of.unitMs),
          )
        }
      }),
      { numRuns: 500, seed: 1 },
    )
  })

  test('gives the burst and every refilled unit to a caller that asks without pause', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 0, max: 20 }), (of, units) => {
        const first = drain(0, of, START)
        expect(first.taken).toBe(of.burst)
        const later = drain(first.fullAt, of, START + units * of.unitMs)
        expect(later.taken).toBe(Math.min(units, of.burst))
      }),
      { numRuns: 300, seed: 2 },
    )
  })

  test('is never more than the burst, however long nobody asked', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 0, max: 1e12 }), (of, pause) => {
        expect(drain(drain(0, of, START).fullAt, of, START + pause).taken).toBeLessThanOrEqual(of.burst)
      }),
      { numRuns: 300, seed: 3 },
    )
  })
})

describe('a clock that lags', () => {
  const SKEW_MS = 30_000_000
  const lag = fc.integer({ min: 0, max: 10_000_000 })
  const owed = fc.integer({ min: -1_000_000, max: 10_000_000 })

  test('is granted no more than the true one would be, and its takes weigh no less', () => {
    fc.assert(
      fc.property(rate, owed, lag, (of, debt, behind) => {
        const onTime = take(START + debt, of, START, SKEW_MS)
        const late = take(START + debt, of, START - behind, SKEW_MS)
        if (late.ok) expect(onTime.ok).toBe(true)
        expect(available(START + debt, of, START - behind)).toBeLessThanOrEqual(available(START + debt, of, START))
        // Only an idle bucket can be dated back, and then by no more than the lag.
        if (late.ok && onTime.ok)
          expect(onTime.fullAt - late.fullAt).toBeLessThanOrEqual(Math.max(0, Math.min(behind, behind - debt)))
      }),
      { numRuns: 1000, seed: 4 },
    )
  })

  test('never moves a bucket back', () => {
    fc.assert(
      fc.property(rate, owed, lag, (of, debt, behind) => {
        const result = take(START + debt, of, START - behind, SKEW_MS)
        if (result.ok) expect(result.fullAt).toBeGreaterThanOrEqual(START + debt + of.unitMs)
      }),
      { numRuns: 1000, seed: 5 },
    )
  })

  test('does not widen what replicas grant together: the burst, and what flows in between the readings of their clocks', () => {
    const readings = fc.array(fc.integer({ min: 0, max: 3_000_000 }), { minLength: 1, maxLength: 150 })
    fc.assert(
      fc.property(rate, readings, (of, offsets) => {
        let fullAt = 0
        let granted = 0
        for (const offset of offsets) {
          const result = take(fullAt, of, START + offset, SKEW_MS)
          if (!result.ok) continue
          granted += 1
          fullAt = result.fullAt
        }
        const span = Math.max(...offsets) - Math.min(...offsets)
        expect(granted).toBeLessThanOrEqual(of.burst + Math.floor(span / of.unitMs))
      }),
      { numRuns: 500, seed: 6 },
    )
  })
})

describe('a refusal', () => {
  test('says to the millisecond when one more gets in', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 0, max: 500_000 }), (of, pause) => {
        const emptied = drain(0, of, START)
        const result = take(emptied.fullAt, of, START + pause)
        if (result.ok) return
        expect(result.retryAfterMs).toBeGreaterThan(0)
        expect(take(emptied.fullAt, of, START + pause + result.retryAfterMs).ok).toBe(true)
        expect(take(emptied.fullAt, of, START + pause + result.retryAfterMs - 1).ok).toBe(false)
      }),
      { numRuns: 500, seed: 7 },
    )
  })

  test('of a bucket that owes more than it holds is that of an empty one, and stays true', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 0, max: 1e9 }), (of, debt) => {
        const result = take(START + debt, of, START)
        if (result.ok) return
        expect(result.retryAfterMs).toBeLessThanOrEqual(of.unitMs)
        expect(take(result.fullAt, of, START + result.retryAfterMs).ok).toBe(true)
        expect(take(result.fullAt, of, START + result.retryAfterMs - 1).ok).toBe(false)
      }),
      { numRuns: 500, seed: 8 },
    )
  })
})

describe('what is shown', () => {
  test('as available is what can be taken now', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: -1000, max: 20_000_000 }), (of, debt) => {
        expect(available(START + debt, of, START)).toBe(drain(START + debt, of, START).taken)
      }),
      { numRuns: 500, seed: 9 },
    )
  })

  test('as missing is how long until the bucket is full', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: -1000, max: 20_000_000 }), (of, debt) => {
        const missing = missingMs(START + debt, START)
        expect(available(START + debt, of, START + missing)).toBe(of.burst)
        if (missing > 0) expect(available(START + debt, of, START + missing - 1)).toBeLessThan(of.burst)
      }),
      { numRuns: 300, seed: 10 },
    )
  })
})

test.each(['free', 'pro', 'enterprise'] as const)(
  'the figures of the %s plan divide into whole milliseconds',
  (tier) => {
    const limits = TIERS[tier]
    expect(perMinute(limits.requestsPerMinute).unitMs * limits.requestsPerMinute).toBe(60_000)
    for (const [units, burst] of [
      [limits.executionsPerHour, limits.executionsBurst],
      [limits.anonymousPerHour, limits.anonymousBurst],
    ]) {
      if (units === null || burst === null || units === undefined || burst === undefined) continue
      expect(perHour(units, burst).unitMs * units).toBe(3_600_000)
    }
  },
)
