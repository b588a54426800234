import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonPieces, needsPieces } from '../../src/http/json-pieces.ts'

const LONG = 16 * 1024

test('the pieces of a value are its JSON, whatever texts it holds', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\u2028', 'é', '👩', '\ud83d', '\udc69')
  const long = fc.string({ unit, minLength: 1, maxLength: 40 }).map((text) => text.repeat(2_000))
  const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.record({ type: fc.string(), content: long })), long)
  fc.assert(
    fc.property(value, (any) => {
      expect([...jsonPieces({ before: 1, any, none: undefined })].join('')).toBe(JSON.stringify({ before: 1, any }))
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('no piece of a long text is longer than about two of its limits', () => {
  const event = { type: 'done', messages: [{ parts: [{ type: 'text', content: 'x'.repeat(20 * LONG) }] }], tokens: 7 }
  const lengths = [...jsonPieces(event)].map((piece) => piece.length)
  expect(lengths.length).toBeGreaterThan(10)
  expect(Math.max(...lengths)).toBeLessThan(2.1 * LONG)
})

test('a text is long wherever it is', () => {
  expect(needsPieces({ a: [{ b: 'x'.repeat(LONG + 1) }] })).toBe(true)
  expect(needsPieces({ a: ['x'.repeat(LONG), null, 1, true], b: undefined })).toBe(false)
})
