import { describe, expect, test } from 'vitest'
import { toCsv } from '../../src/routes/analytics/csv.ts'
import { requestFor } from '../../src/routes/analytics/ranges.ts'
import { refillOf } from '../../src/routes/billing/refill.ts'
import { formatAgo, formatDuration, formatPrice, formatRemaining } from '../../src/ui/format.ts'

describe('tables for spreadsheets', () => {
  test('are separated by commas, with what would break them in quotes', () => {
    const text = toCsv(
      ['name', 'count'],
      [
        ['a,b', 1],
        ['say "hi"', 2.5],
        ['two\nlines', null],
      ],
    )
    expect(text).toBe('name,count\r\n"a,b",1\r\n"say ""hi""",2.5\r\n"two\nlines",\r\n')
  })

  test('hold nothing that is run as a formula', () => {
    const text = toCsv(
      ['name'],
      [['=HYPERLINK("x")'], ['+1'], ['-1'], ['@a'], ['\tx'], [-1]].map((row) => [...row]),
    )
    const cells = text.split('\r\n').slice(1, -1)
    expect(cells).toEqual([`"'=HYPERLINK(""x"")"`, "'+1", "'-1", "'@a", "'\tx", '-1'])
  })
})

describe('ranges', () => {
  const NOW = Date.parse('2026-03-10T12:34:56Z')

  test('are the same all through an hour, and end with the present one', () => {
    expect(requestFor('24h', NOW)).toEqual({ from: '2026-03-09T13:00:00.000Z', bucket: 'hour' })
    expect(requestFor('24h', NOW + 60_000)).toEqual(requestFor('24h', NOW))
    expect(requestFor('7d', NOW)).toEqual({ from: '2026-03-04T12:00:00.000Z', bucket: 'day' })
  })
})

describe('allowances', () => {
  test('fill at their rate, until they are full', () => {
    expect(refillOf({ used: 0, available: 150, perHour: 100, burst: 200 })).toEqual({
      share: 0.75,
      fullInMs: 1_800_000,
    })
    expect(refillOf({ used: 0, available: 200, perHour: 100, burst: 200 })).toEqual({ share: 1, fullInMs: 0 })
    expect(refillOf({ used: 9, available: null, perHour: null, burst: null })).toBeNull()
  })
})

describe('figures in words', () => {
  test.each([
    [null, '–'],
    [0, '0 ms'],
    [999, '999 ms'],
    [1_500, '1.5 s'],
    [65_000, '1 min 5 s'],
  ])('%s milliseconds', (ms, words) => expect(formatDuration(ms)).toBe(words))

  test.each([
    [-5, '0 s'],
    [59_000, '59 s'],
    [3_600_000, '1 h 0 min'],
    [86_399_000, '23 h 59 min'],
    [604_800_000, '7 d 0 h'],
  ])('%s milliseconds that are left', (ms, words) => expect(formatRemaining(ms)).toBe(words))

  test('how long ago', () => {
    const now = Date.parse('2026-03-10T12:00:00Z')
    const ago = (ms: number) => formatAgo(new Date(now - ms).toISOString(), now)
    expect([ago(-5_000), ago(30_000), ago(300_000), ago(7_200_000), ago(172_800_000)]).toEqual([
      'just now',
      '30 s ago',
      '5 min ago',
      '2 h ago',
      '2 d ago',
    ])
  })

  test('prices', () => expect(formatPrice(4_900, 'usd')).toBe('$49'))
})
