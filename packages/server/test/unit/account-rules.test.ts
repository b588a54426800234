import { describe, expect, test } from 'vitest'
import { ATTEMPT_RATES, renewedUntil, SESSION_MS } from '../../src/accounts/rules.ts'

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

  test('lasts seven days', () => {
    expect(SESSION_MS).toBe(7 * DAY_MS)
  })
})

test('the rates of attempts are whole milliseconds, so that no replica rounds differently', () => {
  for (const { unitMs } of Object.values(ATTEMPT_RATES)) expect(Number.isInteger(unitMs)).toBe(true)
})
