import { expect, test } from 'vitest'
import * as z from 'zod'
import { fieldErrorsOf, isJsonObject, JsonObject } from '../src/index.ts'

test('a JSON object is taken as it is, members and all', () => {
  const value = { query: 'hose', nested: { list: [1, null] } }
  expect(JsonObject.parse(value)).toBe(value)
  expect(JsonObject.parse({})).toEqual({})
})

test('a member that names the prototype is left out', () => {
  const parsed = JsonObject.parse(JSON.parse('{"a": 1, "__proto__": {"isAdmin": true}}'))
  expect(parsed).toEqual({ a: 1 })
  expect(Object.hasOwn(parsed, '__proto__')).toBe(false)
})

test.each([
  [undefined, 'is required (object).'],
  [null, 'must not be null (object). Leave it out to leave it unset.'],
  ['text', 'must be a JSON object, not a text.'],
  [7, 'must be a JSON object, not a number.'],
  [[], 'must be a JSON object, not a list.'],
])('%j is none, and is refused by its field', (value, message) => {
  expect(isJsonObject(value)).toBe(false)
  const parsed = z.object({ input: JsonObject }).safeParse({ input: value })
  expect(parsed.error && fieldErrorsOf(parsed.error)).toEqual({ input: [message] })
})
