import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bucketStarts,
  intervalsOf,
  type Range,
  type RangeRequest,
  resolveRange,
} from '../../src/analytics/range-rules.ts'
import { noSums, type SummedPart, summarize } from '../../src/analytics/summary-rules.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.parse('2026-03-01T12:30:15.250Z')

const at = (text: string) => Date.parse(text)

/** The range as text, or the names of the fields at fault. */
function resolved(request: Partial<RangeRequest>) {
  const answer = resolveRange({ now: NOW, analyticsDays: 90, ...request })
  if ('faults' in answer) return Object.keys(answer.faults)
  const { from, to, bucket, clamped } = answer.range
  return [new Date(from).toISOString(), new Date(to).toISOString(), bucket, clamped]
}

describe('the range of a summary', () => {
  // holds ANA-01
  test('is the last seven days, today included, where nothing else is asked for', () => {
    expect(resolved({})).toEqual(['2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 'day', false])
    expect(resolved({ analyticsDays: 7 })).toEqual(resolved({}))
    expect(resolved({ bucket: 'hour' })).toEqual([
      '2026-02-22T13:00:00.000Z',
      '2026-03-01T13:00:00.000Z',
      'hour',
      false,
    ])
  })

  // holds ANA-03
  test('is widened to complete buckets', () => {
    const from = at('2026-02-10T05:59:59.999Z')
    const to = at('2026-02-12T00:00:00.001Z')
    expect(resolved({ from, to })).toEqual(['2026-02-10T00:00:00.000Z', '2026-02-13T00:00:00.000Z', 'day', false])
    expect(resolved({ from, to, bucket: 'hour' })).toEqual([
      '2026-02-10T05:00:00.000Z',
      '2026-02-12T01:00:00.000Z',
      'hour',
      false,
    ])
  })

  test('stays unchanged where it consists of complete buckets', () => {
    const ends = { from: at('2026-02-10'), to: at('2026-02-12') }
    const expected = ['2026-02-10T00:00:00.000Z', '2026-02-12T00:00:00.000Z']
    expect(resolved(ends)).toEqual([...expected, 'day', false])
    expect(resolved({ ...ends, bucket: 'hour' })).toEqual([...expected, 'hour', false])
  })

  // holds ANA-02
  test('starts no earlier than the plan allows, and is marked as clamped', () => {
    expect(resolved({ from: 0, analyticsDays: 7 })).toEqual([
      '2026-02-23T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
      'day',
      true,
    ])
    expect(resolved({ from: at('2026-02-23'), analyticsDays: 7 })).toContain(false)
    expect(resolved({ from: at('2026-02-23') - 1, analyticsDays: 7 })).toContain(true)
    expect(resolved({ to: at('2026-02-25'), analyticsDays: 7 })).toEqual([
      '2026-02-23T00:00:00.000Z',
      '2026-02-25T00:00:00.000Z',
      'day',
      true,
    ])
  })

  test('ends with the current bucket, even where that just began', () => {
    const future = at('2030-01-01')
    expect(resolved({ from: at('2026-03-01'), to: future })[1]).toBe('2026-03-02T00:00:00.000Z')
    expect(resolved({ to: future, bucket: 'hour' })).toEqual(resolved({ bucket: 'hour' }))
    expect(resolved({ to: future })).toEqual(resolved({}))
    expect(resolved({ now: at('2026-03-01'), to: future })[1]).toBe('2026-03-02T00:00:00.000Z')
    expect(resolved({ now: at('2026-03-01') })[1]).toBe('2026-03-02T00:00:00.000Z')
  })

  test('is empty where the plan shows none of it', () => {
    const before = resolved({ from: 0, to: at('2020-01-01'), analyticsDays: 7 })
    expect(before).toEqual(['2026-02-23T00:00:00.000Z', '2026-02-23T00:00:00.000Z', 'day', true])
    const after = resolved({ from: at('2030-01-01'), to: at('2031-01-01') })
    expect(after).toEqual(['2026-03-02T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 'day', false])
  })

  test('must start before it ends', () => {
    expect(resolved({ from: NOW, to: NOW })).toEqual(['from'])
    expect(resolved({ from: NOW, to: NOW - 1 })).toEqual(['from'])
    expect(resolved({ from: NOW + 1 })).toEqual(['from'])
    expect(resolved({ from: NOW })).toContain('2026-03-02T00:00:00.000Z')
  })

  test('is at most a hundred days of hours, after the plan has cut it', () => {
    const days = (count: number) => ({ from: NOW - count * DAY_MS, bucket: 'hour' }) as const
    expect(resolved({ ...days(99), analyticsDays: 400 })).toContain('hour')
    expect(resolved({ ...days(101), analyticsDays: 400 })).toEqual([
      new Date(Math.ceil((NOW + 1) / HOUR_MS) * HOUR_MS - 100 * DAY_MS).toISOString(),
      expect.any(String),
      'hour',
      true,
    ])
    expect(resolved({ ...days(101), analyticsDays: 90 })).toContain('hour')
    expect(resolved({ ...days(101), analyticsDays: 400, bucket: 'day' })).toContain('day')
  })

  test('is never longer than the plan allows, never negative, and always complete buckets', () => {
    const time = fc.option(fc.integer({ min: 0, max: NOW + 400 * DAY_MS }), { nil: undefined })
    const request = fc.record({
      from: time,
      to: time,
      bucket: fc.constantFrom('hour' as const, 'day' as const, undefined),
      now: fc.integer({ min: NOW - DAY_MS, max: NOW }),
      analyticsDays: fc.constantFrom(7, 90, 400),
    })
    fc.assert(
      fc.property(request, (asked) => {
        const answer = resolveRange(asked)
        if ('faults' in answer) return
        const { from, to, bucket } = answer.range
        const bucketMs = bucket === 'hour' ? HOUR_MS : DAY_MS
        expect([from % bucketMs, to % bucketMs]).toEqual([0, 0])
        expect(to).toBeGreaterThanOrEqual(from)
        expect(to - from).toBeLessThanOrEqual(asked.analyticsDays * DAY_MS)
        if (to > from) {
          expect(to).toBeLessThan(asked.now + bucketMs + 1)
          expect(from).toBeGreaterThan(asked.now - asked.analyticsDays * DAY_MS)
        }
      }),
      { numRuns: 2_000, seed: 3 },
    )
  })
})

describe('the counters that a range is read from', () => {
  const range = (from: string, to: string) => ({ from: at(from), to: at(to) })

  test('are those of complete days, and of hours at both ends', () => {
    expect(intervalsOf(range('2026-02-10T22:00:00Z', '2026-02-13T01:00:00Z'))).toEqual([
      { grain: 'hour', from: at('2026-02-10T22:00:00Z'), to: at('2026-02-11') },
      { grain: 'day', from: at('2026-02-11'), to: at('2026-02-13') },
      { grain: 'hour', from: at('2026-02-13'), to: at('2026-02-13T01:00:00Z') },
    ])
    expect(intervalsOf(range('2026-02-10', '2026-02-13'))).toHaveLength(1)
    expect(intervalsOf(range('2026-02-10T05:00:00Z', '2026-02-10T07:00:00Z'))).toHaveLength(1)
    expect(intervalsOf(range('2026-02-10', '2026-02-10'))).toEqual([])
  })

  test('cover it exactly once, without the hours of a complete day', () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(3_000), (start, hours) => {
        const from = start * HOUR_MS
        const intervals = intervalsOf({ from, to: from + hours * HOUR_MS })
        let reached = from
        for (const interval of intervals) {
          expect(interval.from).toBe(reached)
          if (interval.grain === 'hour') expect(interval.to - interval.from).toBeLessThan(DAY_MS)
          else expect([interval.from % DAY_MS, interval.to % DAY_MS]).toEqual([0, 0])
          reached = interval.to
        }
        expect(reached).toBe(from + hours * HOUR_MS)
      }),
      { numRuns: 1_000, seed: 4 },
    )
  })
})

describe('the figures of a summary', () => {
  const isoTime = (time: number) => new Date(time).toISOString()
  const part = (kind: SummedPart['kind'], name: string, sums: Partial<SummedPart['sums']>): SummedPart => {
    return { kind, name, sums: { ...noSums(), ...sums } }
  }

  test('list the largest first, equal ones by name, and at most a hundred capabilities', () => {
    const names = Array.from({ length: 120 }, (_, index) => `cap-${String(index).padStart(3, '0')}`)
    const parts = names.toReversed().map((name, index) => part('capability', name, { executions: index < 2 ? 9 : 1 }))
    const { capabilities: listed } = summarize(parts, [], isoTime)
    const expected = ['cap-118', 'cap-119', ...names].slice(0, 100)
    expect(listed.map(({ capability }) => capability)).toEqual(expected)
  })

  // holds ANA-06
  test('hold every bucket in order, with zeros and without durations where nothing happened', () => {
    const range: Range = { from: 0, to: 3 * DAY_MS, bucket: 'day', clamped: false }
    const half = { executions: 1, durationMs: 4, durations: new Map([[4, 1]]) }
    const parts = [part('series', String(DAY_MS), half), part('series', String(DAY_MS), half)]
    const summary = summarize(parts, bucketStarts(range), isoTime)
    expect(summary.series.map(({ at, executions, p95DurationMs }) => [at, executions, p95DurationMs])).toEqual([
      ['1970-01-01T00:00:00.000Z', 0, null],
      ['1970-01-02T00:00:00.000Z', 2, 4],
      ['1970-01-03T00:00:00.000Z', 0, null],
    ])
    expect(summary.totals).toMatchObject({ executions: 2, avgDurationMs: 4, p50DurationMs: 4, p95DurationMs: 4 })
  })
})
