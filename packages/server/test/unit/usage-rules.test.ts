import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS_BUCKET, type Draw, drawsFor, emptiestBuckets, MAIN_BUCKET } from '../../src/usage/quota-rules.ts'
import { StorageBudget } from '../../src/usage/storage-budget.ts'
import { takeFromBuckets } from '../../src/usage/take-from-buckets.js'
import { TIERS } from '../../src/usage/tiers.ts'
import { available } from '../../src/usage/token-bucket.js'

const NOW = Date.parse('2026-03-01T12:00:00Z')

const tier = fc.constantFrom('free', 'pro', 'enterprise')
const kind = fc.constantFrom('execute', 'broker', 'capability')

function grantedOf(buckets: Map<string, number>, draws: readonly Draw[], tries: number, now = NOW): number {
  return Array.from({ length: tries }, () => takeFromBuckets(buckets, draws, now)).filter(({ ok }) => ok).length
}

describe('what a request draws on', () => {
  test.each([
    ['free', 'capability', [MAIN_BUCKET]],
    ['free', 'broker', [ANONYMOUS_BUCKET, MAIN_BUCKET]],
    ['free', 'execute', [MAIN_BUCKET]],
    ['pro', 'broker', [ANONYMOUS_BUCKET, MAIN_BUCKET]],
    ['enterprise', 'broker', []],
    ['enterprise', 'execute', []],
  ] as const)('on the %s plan, for %s', (plan, by, buckets) => {
    expect(drawsFor(plan, by).map(({ bucket }) => bucket)).toEqual(buckets)
  })

  test('every plan draws on buckets that the free plan draws on too', () => {
    fc.assert(
      fc.property(tier, kind, (plan, by) => {
        const free = drawsFor('free', by).map(({ bucket }) => bucket)
        for (const { bucket } of drawsFor(plan, by)) expect(free).toContain(bucket)
      }),
    )
  })
})

describe('what a plan lets in', () => {
  const HOUR_MS = 3_600_000

  // holds LIM-01, LIM-02
  test.each([
    ['free', 'anonymous', 'broker', HOUR_MS, 50, 25],
    ['free', 'quota', 'execute', HOUR_MS, 200, 100],
    ['pro', 'anonymous', 'broker', HOUR_MS, 12_000, 500],
    ['pro', 'quota', 'execute', HOUR_MS, 48_000, 2_000],
  ] as const)('%s: the %s for %s is, each %i ms, %i at once and %i more', (plan, name, by, periodMs, atOnce, more) => {
    const draws = drawsFor(plan, by).filter(({ limit }) => limit === name)
    const buckets = new Map<string, number>()
    expect(grantedOf(buckets, draws, atOnce + 10)).toBe(atOnce)
    expect(grantedOf(buckets, draws, atOnce + 10, NOW + periodMs)).toBe(more)
  })

  // holds LIM-01
  test('a bound by the hour is none on the enterprise plan', () => {
    expect((['execute', 'broker', 'capability'] as const).flatMap((by) => drawsFor('enterprise', by))).toEqual([])
  })
})

describe('the free plan', () => {
  // holds LIM-02
  test('lets 50 anonymous calls in and leaves 150 to the page', () => {
    const buckets = new Map<string, number>()
    const brokered = drawsFor('free', 'broker')
    expect(grantedOf(buckets, brokered, 300)).toBe(50)
    expect(takeFromBuckets(buckets, brokered, NOW)).toMatchObject({
      ok: false,
      limit: 'anonymous',
      retryAfterMs: 144_000,
    })
    expect(grantedOf(buckets, drawsFor('free', 'execute'), 300)).toBe(150)
  })
})

test('the enterprise plan has no quota', () => {
  const buckets = new Map<string, number>()
  expect(grantedOf(buckets, drawsFor('enterprise', 'execute'), 7000)).toBe(7000)
})

describe('all or nothing', () => {
  const draws: fc.Arbitrary<Draw[]> = fc.uniqueArray(
    fc.record({
      limit: fc.constantFrom('anonymous', 'quota'),
      bucket: fc.constantFrom('a', 'b', 'c', 'd'),
      rate: fc.record({ unitMs: fc.integer({ min: 1, max: 5000 }), burst: fc.integer({ min: 1, max: 5 }) }),
    }),
    { selector: ({ bucket }) => bucket, maxLength: 4 },
  )
  const state = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: NOW - 10_000, max: NOW + 30_000 }))

  test('a grant takes one unit from every bucket, a refusal none from any', () => {
    fc.assert(
      fc.property(draws, state, (wanted, given) => {
        const buckets = new Map(Object.entries(given))
        const before = wanted.map(({ bucket, rate }) => available(buckets.get(bucket) ?? 0, rate, NOW))
        const result = takeFromBuckets(buckets, wanted, NOW)
        const after = wanted.map(({ bucket, rate }) => available(buckets.get(bucket) ?? 0, rate, NOW))
        expect(result.ok).toBe(before.every((units) => units >= 1))
        expect(after).toEqual(result.ok ? before.map((units) => units - 1) : before)
        if (!result.ok) expect(Object.fromEntries(buckets)).toEqual(given)
      }),
      { numRuns: 2000, seed: 1 },
    )
  })

  test('a refusal says to the millisecond when all limits let one in, and names one that holds until then', () => {
    fc.assert(
      fc.property(draws, state, (wanted, given) => {
        const result = takeFromBuckets(new Map(Object.entries(given)), wanted, NOW)
        if (result.ok) return
        const at = (now: number, of = wanted) => takeFromBuckets(new Map(Object.entries(given)), of, now).ok
        expect(at(NOW + result.retryAfterMs)).toBe(true)
        expect(at(NOW + result.retryAfterMs - 1)).toBe(false)
        const named = wanted.filter(({ limit }) => limit === result.limit)
        expect(at(NOW + result.retryAfterMs - 1, named)).toBe(false)
      }),
      { numRuns: 2000, seed: 2 },
    )
  })
})

test('a smaller plan holds at once: what a larger one left does not exceed its burst', () => {
  const buckets = new Map<string, number>()
  grantedOf(buckets, drawsFor('pro', 'execute'), 10)
  expect(grantedOf(buckets, drawsFor('free', 'execute'), 1000)).toBeLessThanOrEqual(200)
})

// holds BIL-13
test('a larger plan helps at once: what was empty under the smaller one is not', () => {
  const buckets = new Map<string, number>()
  grantedOf(buckets, drawsFor('free', 'execute'), 1000)
  expect(takeFromBuckets(buckets, drawsFor('free', 'execute'), NOW).ok).toBe(false)
  expect(grantedOf(buckets, drawsFor('pro', 'execute'), 50_000)).toBe(48_000 - 4_000)
})

test('a bucket that a larger plan left in debt is empty under the smaller one, and fills a unit at a time', () => {
  const buckets = new Map<string, number>()
  grantedOf(buckets, drawsFor('pro', 'execute'), 50_000)
  const draws = drawsFor('free', 'execute')
  expect(takeFromBuckets(buckets, draws, NOW)).toMatchObject({ ok: false, retryAfterMs: 36_000 })
  expect(takeFromBuckets(buckets, draws, NOW + 36_000).ok).toBe(true)
})

// holds LIM-13
test('a bucket that was emptied before the clock was set back by a day is empty, and fills a unit at a time', () => {
  const buckets = new Map<string, number>()
  const draws = drawsFor('free', 'broker')
  grantedOf(buckets, draws, 50)
  const before = NOW - 86_400_000
  expect(takeFromBuckets(buckets, draws, before)).toMatchObject({
    ok: false,
    limit: 'anonymous',
    retryAfterMs: 144_000,
  })
  expect(takeFromBuckets(buckets, draws, before + 144_000).ok).toBe(true)
})

test('only the buckets of a quota have an emptiest, and a plan without a quota has none', () => {
  expect(emptiestBuckets('free', NOW).map(({ bucket }) => bucket)).toEqual([ANONYMOUS_BUCKET, MAIN_BUCKET])
  expect(emptiestBuckets('enterprise', NOW)).toEqual([])
})

test('what an account has settled counts against its stored bytes while only a part of it is in the figure', () => {
  const limit = Number(TIERS.free.storedBytes)
  const budget = new StorageBudget()
  budget.note('own_1', { tier: 'free', storedBytes: limit - 100 })
  budget.add('own_1', 60)
  expect([budget.isPast('own_1', 39), budget.isPast('own_1', 40)]).toEqual([false, true])
  // Half of it was folded.
  budget.note('own_1', { tier: 'free', storedBytes: limit - 70 })
  expect(budget.isPast('own_1', 40)).toBe(true)
  budget.note('own_1', { tier: 'free', storedBytes: limit - 40 })
  expect([budget.isPast('own_1', 39), budget.isPast('own_2', limit)]).toEqual([false, false])
})
