import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifyJson } from '../../src/http/json-answer.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'

test('a value is written as JSON.stringify writes it, whatever texts it holds', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\u2028', 'é', '👩', '\ud83d', '\udc69')
  const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit }))
  fc.assert(
    fc.property(value, (any) => {
      expect(stringifyJson({ before: 1, any, none: undefined })).toBe(JSON.stringify({ before: 1, any }))
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('JSON text in a value is copied as it was written', () => {
  const output = new JsonDocument('{ "price": 49.90 }')
  expect(stringifyJson({ parts: [{ output }] })).toBe('{"parts":[{"output":{ "price": 49.90 }}]}')
})
