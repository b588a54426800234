import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageCursor, PageLimit, PageTime } from '../../src/http/page.ts'
import { createIds } from '../../src/lib/ids.ts'
import { cutPage, encodeCursor } from '../../src/store/page.ts'
import { createTestClock } from '../support/clock.ts'

const base64url = (text: string) => Buffer.from(text).toString('base64url')

describe('a cursor', () => {
  test('comes back as the place that it was made of, and is fit for a URL', () => {
    const id = fc.constantFrom('rt_shop0001', 'rt_A-b_9', createIds(createTestClock())('execution'))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8.64e15 }), id, (at, of) => {
        const cursor = encodeCursor({ at, id: of })
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(PageCursor.parse(cursor)).toEqual({ at, id: of })
      }),
      { numRuns: 300, seed: 1 },
    )
  })

  // holds LST-02
  test('is null on the last page, and absent on the first', () => {
    expect(cutPage([1, 2], 2, (at) => ({ at, id: 'a' })).nextCursor).toBeNull()
    expect(PageCursor.parse(undefined)).toBeNull()
  })

  test.each([
    '',
    'x',
    '!!!',
    'null',
    base64url('null'),
    base64url('[]'),
    base64url('[1]'),
    base64url('["1","a"]'),
    base64url('[1.5,"a"]'),
    base64url('[1,2]'),
    base64url('[1,"a","b"]'),
    base64url('[1,""]'),
    base64url('[1,"a\\u0000b"]'),
    base64url('[1,"a\' OR 1=1"]'),
    base64url('[1e999,"a"]'),
    base64url('[9007199254740993,"a"]'),
    base64url('{"at":1,"id":"a"}'),
    base64url(`[1,"${'a'.repeat(300)}"]`),
    base64url('['.repeat(300)),
    'A'.repeat(513),
  ])('%j is refused', (cursor) => {
    expect(PageCursor.safeParse(cursor).success).toBe(false)
  })

  test('garbage is refused with a sentence, and never throws', () => {
    const garbage = fc.oneof(fc.string({ unit: 'binary' }), fc.json().map(base64url), fc.base64String(), fc.jsonValue())
    fc.assert(
      fc.property(garbage, (cursor) => {
        const parsed = PageCursor.safeParse(cursor)
        if (!parsed.success) expect(parsed.error.issues[0]?.message.length).toBeGreaterThan(5)
        else if (parsed.data) expect(parsed.data.id).toMatch(/^[\w-]+$/)
      }),
      { numRuns: 1000, seed: 2 },
    )
  })
})

describe('a page’s length', () => {
  // holds TRC-08
  test('is 50 where nobody says, and 1 to 200 where somebody does', () => {
    expect(PageLimit.parse(undefined)).toBe(50)
    expect(['1', '50', '200', '007'].map((limit) => PageLimit.parse(limit))).toEqual([1, 50, 200, 7])
  })

  test.each(['', '0', '201', '-1', '1.5', '1e2', '0x10', ' 5', '5 ', 'ten', '٣', '9999999', ['1', '2'], 5, null])(
    '%j is refused',
    (limit) => {
      expect(PageLimit.safeParse(limit).success).toBe(false)
    },
  )
})

describe('a time', () => {
  test.each([
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2026-01-31T12:30:00Z', Date.UTC(2026, 0, 31, 12, 30)],
    ['2026-01-31T12:30Z', Date.UTC(2026, 0, 31, 12, 30)],
    ['2026-01-31T12:30:15.250Z', Date.UTC(2026, 0, 31, 12, 30, 15, 250)],
    ['2026-01-31T12:30:15.250999Z', Date.UTC(2026, 0, 31, 12, 30, 15, 250)],
    ['2026-01-31T12:30:00+02:00', Date.UTC(2026, 0, 31, 10, 30)],
    ['2026-01-31T00:00:00-05:30', Date.UTC(2026, 0, 31, 5, 30)],
    ['1767225600000', 1_767_225_600_000],
    ['0', 0],
    ['2026', 2026],
    ['2026-01-31T12:30+01:00', Date.UTC(2026, 0, 31, 11, 30)],
    ['1969-12-31', -86_400_000],
  ])('%s is understood', (text, time) => {
    expect(PageTime.parse(text)).toBe(time)
  })

  test.each([
    '',
    'yesterday',
    '2026-01',
    '2026-1-31',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29',
    '31.01.2026',
    '2026-01-31 12:30:00Z',
    '2026-01-31T12:30:00',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:30:00+25:00',
    '-1',
    '1.5',
    '1e12',
    '1767225600000ms',
    '9'.repeat(16),
    '٢٠٢٦-٠١-٣١',
    ['2026-01-31', '2026-02-01'],
    1_767_225_600_000,
  ])('%j is refused', (text) => {
    expect(PageTime.safeParse(text).success).toBe(false)
  })

  // holds TRC-10
  test('every moment comes back from its ISO form and from its milliseconds', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
        (date) => {
          expect(PageTime.parse(date.toISOString())).toBe(date.getTime())
          expect(PageTime.parse(String(date.getTime()))).toBe(date.getTime())
        },
      ),
      { numRuns: 300, seed: 3 },
    )
  })

  test('whatever is accepted is a whole number of milliseconds', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d(T[0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/),
    )
    fc.assert(
      fc.property(text, (given) => {
        const parsed = PageTime.safeParse(given)
        if (parsed.success) expect(Number.isSafeInteger(parsed.data)).toBe(true)
      }),
      { numRuns: 2000, seed: 4 },
    )
  })
})
