import { ID_PREFIXES, RuntimeId } from '@svc/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIds, mintRuntimeId } from '../../src/lib/ids.ts'
import { createTestClock } from '../support/clock.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The time that an id was made at, read back from its first ten digits. */
function timeOf(id: string): number {
  const value = [...id.slice(-26)].reduce((sum, digit) => sum * 32n + BigInt(ALPHABET.indexOf(digit)), 0n)
  return Number(value >> 80n)
}

// holds OPS-11
test('an id has the prefix of its kind and 26 digits of Crockford’s base 32', () => {
  const newId = createIds(createTestClock())
  for (const kind of ['owner', 'credential', 'project', 'deployment', 'execution', 'call', 'session'] as const) {
    expect(newId(kind)).toMatch(new RegExp(`^${ID_PREFIXES[kind]}[${ALPHABET}]{26}$`))
  }
})

// holds OPS-11
test('newer ids sort later, also within a millisecond', () => {
  const clock = createTestClock()
  const newId = createIds(clock)
  const ids: string[] = []
  for (let index = 0; index < 3000; index += 1) {
    if (index % 7 === 0) clock.advance(index % 3)
    ids.push(newId('execution'))
  }
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids sort by creation when the clock is set back, and follow it again once it has caught up', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 100 }), (moves) => {
      const clock = createTestClock()
      const newId = createIds(clock)
      let highest = 0
      let last = ''
      for (const move of moves) {
        clock.advance(move)
        highest = Math.max(highest, clock.now())
        const id = newId('call')
        expect(id > last).toBe(true)
        expect(timeOf(id)).toBe(highest)
        last = id
      }
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('ten thousand ids of one millisecond are unique', () => {
  const newId = createIds(createTestClock())
  expect(new Set(Array.from({ length: 10_000 }, () => newId('call'))).size).toBe(10_000)
})

test('processes that create ids in the same millisecond create different ones', () => {
  const makers = Array.from({ length: 200 }, () => createIds(createTestClock()))
  expect(new Set(makers.map((newId) => newId('execution'))).size).toBe(200)
})

// holds RT-02
test('a generated runtime id is valid as a chosen one', () => {
  const ids = Array.from({ length: 500 }, mintRuntimeId)
  expect(new Set(ids).size).toBe(500)
  for (const id of ids) {
    expect(id).toMatch(/^rt_[1-9A-HJ-NP-Za-km-z]{20}$/)
    expect(RuntimeId.safeParse(id).success).toBe(true)
  }
})
