import { describe, expect, test } from 'vitest'
import { isCrowded, loweredBound, raisedBound } from '../../src/load/bound-rules.ts'

const TARGETS = { waitMs: 50, minBound: 128, maxBound: 1_000 }

function window(seen: { elapsedMs?: number; heldMs?: number; handedOn?: number }) {
  return { elapsedMs: 100, heldMs: 0, handedOn: 0, ...seen }
}

describe('too many are held', () => {
  test.each([
    // 500 all the time, of whom 400 were handed on: each waited 125 ms.
    ['where they waited longer than they may', { heldMs: 50_000, handedOn: 400 }, true],
    ['where nobody is handed on at all', { heldMs: 50_000, handedOn: 0 }, true],
    ['not where they waited no longer', { heldMs: 10_000, handedOn: 250 }, false],
    ['not where a few take long: they are no crowd', { heldMs: 6_300, handedOn: 1 }, false],
  ])('%s', (_, seen, expected) => {
    expect(isCrowded(window(seen), TARGETS)).toBe(expected)
  })
})

describe('how many may be held', () => {
  test('is what is handed on within the time that they may wait, where that is less', () => {
    const seen = window({ handedOn: 400 })
    expect([loweredBound(1_000, seen, TARGETS), loweredBound(160, seen, TARGETS)]).toEqual([200, 160])
  })

  test('is never fewer than the least, also where nothing is handed on at all', () => {
    expect(loweredBound(1_000, window({}), TARGETS)).toBe(128)
  })

  test('grows by a quarter in a tenth of a second, however long the stretch is, up to the most', () => {
    const after = (bound: number, elapsedMs: number) => raisedBound(bound, window({ elapsedMs }), TARGETS)
    expect([after(100, 100), after(100, 200), after(900, 100)]).toEqual([125, 156.25, 1_000])
    expect(after(128, 3_600_000)).toBe(1_000)
  })
})
