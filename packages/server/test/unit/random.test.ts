import { expect, test } from 'vitest'
import { random40Bits, randomText } from '../../src/lib/random.ts'

// More than any pool holds, so that what is drawn spans several of them.
const DRAWS = 20_000

test('values never repeat, over many pools', () => {
  expect(new Set(Array.from({ length: DRAWS }, () => randomText(16, 'base64url'))).size).toBe(DRAWS)
  expect(new Set(Array.from({ length: DRAWS }, () => randomText(8, 'hex'))).size).toBe(DRAWS)
})

test('a text has all its bytes, whatever was taken before it', () => {
  for (let draw = 0; draw < 2000; draw += 1) {
    random40Bits()
    expect(randomText(16, 'hex')).toMatch(/^[0-9a-f]{32}$/)
    expect(Buffer.from(randomText(16, 'base64url'), 'base64url')).toHaveLength(16)
  }
})

test('each of the forty bits is set half of the time', () => {
  const draws = Array.from({ length: DRAWS }, random40Bits)
  for (let bit = 0; bit < 40; bit += 1) {
    const share = draws.filter((draw) => Math.floor(draw / 2 ** bit) % 2 === 1).length / DRAWS
    // Ten standard deviations: chance does not fail this within the life of the project.
    expect(Math.abs(share - 0.5)).toBeLessThan(10 * (0.5 / Math.sqrt(DRAWS)))
  }
})
