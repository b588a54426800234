import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationBucket, percentile, typicalDurationMs } from '../../src/usage/histogram.ts'

const HOUR_MS = 3_600_000

/** Short and long durations alike: evenly spread over their number of digits. */
const duration = fc.double({ min: 0, max: Math.log(24 * HOUR_MS), noNaN: true }).map((log) => Math.round(Math.exp(log)))

function countByBucket(durations: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const ms of durations) counts.set(durationBucket(ms), (counts.get(durationBucket(ms)) ?? 0) + 1)
  return counts
}

/** The percentile by its definition: the smallest duration that at least so many percent do not exceed. */
function nearestRank(durations: readonly number[], percent: number): number {
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1] ?? Number.NaN
}

const errorOf = (estimate: number, truth: number) => Math.abs(estimate - truth) / truth

describe('the duration that stands for a bucket', () => {
  test('is within 5 % of every duration in it, up to a minute one by one', () => {
    let worst = 0
    for (let ms = 1; ms <= 60_000; ms += 1) worst = Math.max(worst, errorOf(typicalDurationMs(durationBucket(ms)), ms))
    expect(worst).toBeLessThanOrEqual(0.05)
    expect(worst).toBeGreaterThan(0.04)
  })

  test('is within 5 % of durations of any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (ms) => {
        expect(errorOf(typicalDurationMs(durationBucket(ms)), ms)).toBeLessThanOrEqual(0.05)
      }),
      { numRuns: 2_000, seed: 1 },
    )
  })

  test('is exact below 10 ms, and 0 ms is a duration of its own', () => {
    const short = Array.from({ length: 10 }, (_, ms) => ms)
    expect(short.map((ms) => typicalDurationMs(durationBucket(ms)))).toEqual(short)
    expect(new Set(short.map(durationBucket)).size).toBe(10)
  })

  test('does not fall as durations grow, and a day fits into few buckets', () => {
    const buckets = Array.from({ length: 5_000 }, (_, ms) => durationBucket(ms))
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
    expect(durationBucket(24 * HOUR_MS)).toBeLessThan(200)
  })
})

describe('a percentile', () => {
  // holds ANA-05
  test('is within 5 % of the nearest-rank one, for any durations and any percent', () => {
    const durations = fc.array(duration, { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(durations, fc.constantFrom(0, 1, 25, 50, 90, 95, 99, 99.9, 100), (sample, percent) => {
        const truth = nearestRank(sample, percent)
        const estimate = percentile(countByBucket(sample), percent) ?? Number.NaN
        expect(errorOf(estimate, truth)).toBeLessThanOrEqual(0.05)
      }),
      { numRuns: 2_000, seed: 2 },
    )
  })

  test('is the same whatever order the buckets come in', () => {
    const counts = countByBucket([5, 1_000, 70, 70, 9, 0, 333])
    const reversed = new Map([...counts].toReversed())
    expect(percentile(reversed, 50)).toBe(percentile(counts, 50))
    expect(percentile(counts, 0)).toBe(0)
    expect(percentile(counts, 15)).toBe(5)
  })

  test('of nothing is null, and of instant executions 0', () => {
    expect(percentile(new Map(), 95)).toBeNull()
    expect(percentile(countByBucket([0, 0, 0]), 95)).toBe(0)
  })
})
