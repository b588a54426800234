import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBody } from '../../src/http/json-body.ts'
import { measureJson } from '../../src/json-scan.ts'

const UNBOUNDED = { depth: 100, values: 1e9 }

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1)
}

test('values are never counted too low, and at most at twice their number and one', () => {
  const json = fc.jsonValue({ maxDepth: 6, stringUnit: fc.constantFrom(...'[]{}"\\,: a') })
  fc.assert(
    fc.property(json, (value) => {
      const { values } = measureJson(JSON.stringify(value), UNBOUNDED)
      expect(values).toBeGreaterThanOrEqual(valuesIn(value))
      expect(values).toBeLessThanOrEqual(2 * valuesIn(value) + 1)
    }),
    { numRuns: 1000, seed: 1 },
  )
})

test('a body may hold so many values and no more, however small they are', () => {
  const limits = { jsonDepth: 32, jsonValues: 1000 }
  const refused = expect.objectContaining({ fieldErrors: { body: ['holds more than 1000 values.'] } })
  const list = (count: number) => `[${Array(count).fill('1').join()}]`
  expect(parseBody(list(900), limits)).toHaveLength(900)
  for (const text of [
    list(1001),
    list(1_000_000),
    `[${'{},'.repeat(1000)}{}]`,
    `"${','.repeat(2000)}",${list(2000)}`,
  ]) {
    expect(() => parseBody(text, limits)).toThrow(refused)
  }
  expect(parseBody(`"${',[{'.repeat(2000)}"`, limits)).toHaveLength(6000)
})
