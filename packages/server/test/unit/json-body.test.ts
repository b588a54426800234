import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { parseBody, readBody } from '../../src/http/json-body.ts'
import { measureJson } from '../../src/lib/json-scan.ts'

function nestsDeeperThan(text: string, levels: number): boolean {
  return measureJson(text, { depth: levels, values: Number.POSITIVE_INFINITY }).depth > levels
}

const LIMITS = { jsonDepth: 32, jsonValues: 1_000_000 }

/** What a body is refused with, by field; null when it is accepted. */
function faultsOf(text: string, maxDepth = 32): Record<string, readonly string[]> | null {
  try {
    parseBody(text, { jsonDepth: maxDepth, jsonValues: 1_000_000 })
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_error') throw error
    return error.fieldErrors ?? {}
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels)

describe('the depth of a body', () => {
  // holds LIM-10
  test('is 32 levels at most, of arrays, of objects and of both', () => {
    for (const [open, inner, close] of [
      ['[', '', ']'],
      ['{"a":', '1', '}'],
      ['[{"a":', '[]', '}]'],
    ] as const) {
      const width = depthOf(JSON.parse(open + (inner || '1') + close))
      const fits = Math.floor((32 - depthOf(JSON.parse(inner || '1'))) / depthOf(JSON.parse(`${open}1${close}`)))
      expect(width).toBeGreaterThan(0)
      expect(faultsOf(open.repeat(fits) + inner + close.repeat(fits))).toBeNull()
      expect(faultsOf(open.repeat(fits + 1) + inner + close.repeat(fits + 1))).toEqual({
        body: ['is nested more than 32 levels deep.'],
      })
    }
  })

  test('does not count brackets in strings, whatever is escaped there', () => {
    for (const text of [
      '"[[[["',
      '"\\"[[[["',
      '"\\\\"',
      '{"[{[{":"]}]}"}',
      '["\\\\\\"[[[["]',
      '["\\u005b[[["]',
      '"\\\\\\\\"',
    ]) {
      expect(nestsDeeperThan(text, depthOf(JSON.parse(text)))).toBe(false)
    }
  })

  test('counts brackets after strings that end in escapes', () => {
    for (const text of ['["\\\\",[[[]]]]', '["\\"",[[[]]]]', '{"a\\\\":{"b":{"c":{}}}}', '["\\\\\\\\",[[[]]]]']) {
      expect(depthOf(JSON.parse(text))).toBe(4)
      expect(nestsDeeperThan(text, 3)).toBe(true)
      expect(nestsDeeperThan(text, 4)).toBe(false)
    }
  })

  test('is exactly that of the parsed value, for any value and however it is spaced', () => {
    const value = fc.jsonValue({ maxDepth: 9, stringUnit: fc.constantFrom(...'[]{}"\\,: aé😀') })
    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '\n\t'), fc.nat({ max: 10 }), (json, space, levels) => {
        const text = JSON.stringify(json, null, space)
        expect(nestsDeeperThan(text, levels)).toBe(depthOf(JSON.parse(text)) > levels)
      }),
      { numRuns: 1000, seed: 1 },
    )
  })

  test('is judged before anything recursive sees the body: a million brackets are refused, not overflowed', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[', ''],
      ['{', ''],
    ] as const) {
      expect(faultsOf(nested(1_000_000, open, close))).toEqual({ body: ['is nested more than 32 levels deep.'] })
    }
  })
})

describe('a body', () => {
  test.each(['', ' ', '\n\r\t '])('of %j is none', (text) => {
    expect(parseBody(text, LIMITS)).toBeUndefined()
  })

  test.each([
    '{',
    '{"a":1',
    '[1,]',
    "{'a':1}",
    '{a:1}',
    'undefined',
    'NaN',
    '{"a":1}x',
    '"a',
    '\\',
    '"\\',
    ']]][[[',
    '01',
    '\u0000',
  ])('of %j is refused as no JSON', (text) => {
    expect(faultsOf(text)).toEqual({ body: ['is not valid JSON.'] })
  })

  test.each([
    '{"__proto__":{}}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":{"isAdmin":true}}',
    '{"a":{"__proto__":null}}',
  ])('of %s is refused, and no prototype is touched', (text) => {
    expect(faultsOf(text)?.['body']?.[0]).toContain('__proto__')
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test.each(['{"a":"__proto__"}', '{"proto":1,"constructor":{"prototype":1}}', '"__proto__"'])(
    'of %s is taken as it is',
    (text) => {
      expect(parseBody(text, LIMITS)).toEqual(JSON.parse(text))
    },
  )

  test('with a NUL or half a character is refused at the place where it stands', () => {
    expect(Object.keys(faultsOf('{"a":{"b":["ok","x\\u0000y"]}}') ?? {})).toEqual(['a.b.1'])
    expect(Object.keys(faultsOf('{"a":"\\ud800"}') ?? {})).toEqual(['a'])
    expect(Object.keys(faultsOf('{"a\\u0000":1}') ?? {})).toEqual(['body'])
    expect(parseBody('{"a":"\\ud83d\\ude00","b":"\\\\u0000"}', LIMITS)).toEqual({ a: '😀', b: '\\u0000' })
  })

  test('is either refused in our own words or is what JSON.parse makes of it', () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: fc.constantFrom(...'{}[]",:0eE+-. tfnu\\') }),
      fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, noise]) => {
        const place = at % (json.length + 1)
        return json.slice(0, place) + noise + json.slice(place)
      }),
    )
    fc.assert(
      fc.property(text, (given) => {
        if (faultsOf(given) === null && given.trim() !== '') expect(parseBody(given, LIMITS)).toEqual(JSON.parse(given))
      }),
      { numRuns: 1000, seed: 2 },
    )
  })
})

test('a body whose sender left before it was read is refused at once', () => {
  const request = new IncomingMessage(new Socket())
  request.destroy()
  const read: unknown[] = []
  readBody(request, { maxBytes: 1_000, held: null }, (result) => read.push(result))
  expect(read).toEqual([expect.any(AppError)])
})
