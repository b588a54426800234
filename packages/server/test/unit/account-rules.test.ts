import { describe, expect, test } from 'vitest'
import { attempt, renewedUntil, SESSION_MS, SIGN_IN_RATES, SIGN_UP_RATE } from '../../src/accounts/rules.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000

describe('a session', () => {
  test.each([
    ['just begun', SESSION_MS, null],
    ['used a day after, less a millisecond', SESSION_MS - DAY_MS + 1, null],
    ['used a day after', SESSION_MS - DAY_MS, NOW + SESSION_MS],
    ['used at its very end', 1, NOW + SESSION_MS],
  ])('%s', (_, leftMs, renewed) => {
    expect(renewedUntil(NOW + leftMs, NOW)).toBe(renewed)
  })

  test('goes on for seven days', () => {
    expect(SESSION_MS).toBe(7 * DAY_MS)
  })
})

describe('attempts', () => {
  const both = [
    { subject: 'a', rate: { unitMs: 1_000, burst: 2 } },
    { subject: 'b', rate: { unitMs: 500, burst: 3 } },
  ]

  test('take one unit from every bucket', () => {
    expect(attempt(both, new Map(), NOW)).toEqual({
      ok: true,
      fullAt: new Map([
        ['a', NOW + 1_000],
        ['b', NOW + 500],
      ]),
    })
  })

  test('wait for one unit at most where the clock was set back', () => {
    const before = NOW - 3_600_000
    const refused = attempt(both, new Map([['a', NOW + 2_000]]), before)
    expect(refused).toMatchObject({ ok: false, retryAfterMs: 1_000 })
    expect(attempt(both, refused.fullAt, before + 1_000).ok).toBe(true)
  })

  test('take none from any where one is empty, and wait for the one that takes longest', () => {
    const fullAt = new Map([['a', NOW + 2_000]])
    expect(attempt(both, fullAt, NOW)).toMatchObject({ ok: false, retryAfterMs: 1_000 })
    expect(attempt(both, new Map([...fullAt, ['b', NOW + 2_700]]), NOW)).toMatchObject({
      ok: false,
      retryAfterMs: 1_700,
    })
  })

  test('count whole milliseconds, so that no replica rounds otherwise', () => {
    for (const { unitMs } of [...Object.values(SIGN_IN_RATES), SIGN_UP_RATE]) {
      expect(Number.isInteger(unitMs)).toBe(true)
    }
  })
})
