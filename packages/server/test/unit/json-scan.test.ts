import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody } from '../../src/http/json-body.ts'
import { inexactNumber } from '../../src/lib/inexact-number.ts'
import { measureJson } from '../../src/lib/json-scan.ts'

const UNBOUNDED = { depth: 100, values: 1e9 }

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1)
}

test('the count of values is never too low, and at most twice their number plus one', () => {
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

test('a body is refused with more values than its limit, however small', () => {
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

describe('a number that parsing would round', () => {
  test.each([
    ['{"input":9007199254740992}', 'input'],
    ['{"input":{"id":-9007199254740992}}', 'input.id'],
    ['{"input":{"a":[1,{"b c":[0,12345678901234567890]}]}}', 'input.a.1.b c.1'],
    ['{"a":1,"input":{"x":{"y":1},"z":[[],{}],"n":1e400}}', 'input.n'],
    ['{"input":-1E+999}', 'input'],
    [`{"input":${'9'.repeat(400)}.5}`, 'input'],
    ['{"\\u0069nput":{"a\\"b":[{"c":"[{,"},9007199254740993]}}', 'input.a"b.1'],
    ['{"other":1e400,"input":{"n":9007199254740993}}', 'input.n'],
  ])('in %s is found at %s', (text, path) => {
    expect(inexactNumber(text, ['input'])).toBe(path)
  })

  test.each([
    '{"input":9007199254740991,"n":-9007199254740991}',
    '{"input":[1e308,0.12345678901234567890,1e20,12345678901234567890.5,1e-400]}',
    '{"input":"12345678901234567890 1e400","12345678901234567890":{"1e400":1}}',
    '{"other":1e400,"input":0}',
    '[12345678901234567890]',
  ])('in %s is not found', (text) => {
    expect(inexactNumber(text, ['input'])).toBeNull()
  })

  test('without a list of fields is found anywhere', () => {
    expect(inexactNumber('{"a":{"b":1e999}}')).toBe('a.b')
    expect(inexactNumber('12345678901234567890')).toBe('')
  })

  test('is found if and only if parsing changes the integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), (integer) => {
        const isSafe = Number.isSafeInteger(Number(integer))
        expect(inexactNumber(`{"input":[0,${integer}]}`, ['input'])).toBe(isSafe ? null : 'input.1')
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})
