import type { JsonObject } from '@svc/contract'
import { resolveReferences } from '@svc/contract/resolve-references'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { maxInlineCharacters, patternWeight, weigh, weightProblem } from '../../src/schemas/rules.ts'
import { object } from './schema-support.ts'

describe('the weight of a pattern', () => {
  test.each([
    '^[0-9]{5}$',
    '^ord_[0-9a-z]{12}$',
    '(?:a?b?c?d?)+$|z{1}',
    '[ab]{1000}c',
    '(a|b|ab)*c{200}$',
    'a{1,30}b{2,}',
    '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|0{8})$',
  ])('%s is no less than the engine makes of it, and at most four times that', (pattern) => {
    const instructions = RE2JS.compile(RE2JS.translateRegExp(pattern)).programSize()
    expect(patternWeight(pattern)).toBeGreaterThanOrEqual(instructions)
    expect(patternWeight(pattern)).toBeLessThanOrEqual(4 * instructions + 20)
  })

  test.each(['((a{9}){9}){9}', '(?:ab){100}', 'a{9}{9}', '\\p{L}', '[^\\P{L}]'])(
    '%s is not known: it is for the thread, and accepted',
    (pattern) => {
      expect(maxInlineCharacters(object({ a: { pattern } }))).toBe(0)
      expect(weightProblem(object({ a: { pattern } }))).toBeNull()
    },
  )
})

const tree = (next: JsonObject): JsonObject => ({
  $ref: '#/$defs/node',
  $defs: { node: object({ next }) },
})

describe('the weight of a schema', () => {
  const item = object({ id: { type: 'string' }, size: { enum: [1, 2, 3] } })
  const weightOf = (schema: JsonObject) => weigh(resolveReferences(schema))

  test('counts what references lead to where they stand', () => {
    const once = weightOf({ ...object({ a: { $ref: '#/$defs/item' } }), $defs: { item } })
    const twice = weightOf({ ...object({ a: { $ref: '#/$defs/item' }, b: { $ref: '#/$defs/item' } }), $defs: { item } })
    expect(twice.check - once.check).toBeGreaterThan(8)
    expect(twice.compile - once.compile).toBeLessThan(4)
  })

  test('counts texts that only describe for nothing, and fields of such a name', () => {
    expect(weigh(object({ a: { title: 'A', description: 'x'.repeat(1_000) } }))).toEqual(weigh(object({ a: {} })))
    expect(weigh(object({ description: { type: 'string' } })).check).toBeGreaterThan(weigh(object({ a: {} })).check)
  })

  test.each([
    ['refers to itself', tree({ $ref: '#/$defs/node' })],
    ['refers to its root', object({ next: { items: { $ref: '#' } } })],
    ['refers to its root by an anchor', { $dynamicAnchor: 'a', ...object({ next: { $dynamicRef: '#a' } }) }],
    ['has to try its parts apart', { ...object({}), anyOf: [object({ a: {} })], unevaluatedProperties: false }],
  ])('of one that %s has no end, and that is for the thread', (_, schema) => {
    expect(weightOf(schema).check).toBe(Number.POSITIVE_INFINITY)
    expect(weightProblem(resolveReferences(schema))).toBeNull()
    expect(maxInlineCharacters(schema)).toBe(0)
  })

  test.each([
    ['by pointer', { $ref: '#/$defs/item' }],
    ['by an encoded pointer', { $ref: '#/%24defs/item' }],
    ['by address', { $ref: 'item.json' }],
    ['by anchor', { $ref: 'item.json#it' }],
  ])('is the same whichever way it refers: %s', (_, a) => {
    const named = { $id: 'item.json', $anchor: 'it', ...item }
    expect(weightOf({ ...object({ a }), $defs: { item: named } }).check).toBe(weigh(object({ a: item })).check + 1)
  })

  test('a chain of thousands of references is weighed without overflowing the stack', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    )
    expect(weightOf({ $ref: '#/$defs/d0', $defs: { ...$defs, d5000: {} } }).check).toBe(Number.POSITIVE_INFINITY)
  })

  test('references that double with each level are refused once they make a million', () => {
    const doubling = (levels: number): JsonObject => {
      const definitions = Array.from({ length: levels }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` }
        return [`d${at}`, { allOf: [next, next] }]
      })
      const $defs = { ...Object.fromEntries(definitions), [`d${levels}`]: {} }
      return resolveReferences({ $ref: '#/$defs/d0', $defs })
    }
    expect(weightProblem(doubling(10))).toBeNull()
    expect(weightProblem(doubling(30))).toContain('takes too long to check')
  })
})

describe('on the event loop', () => {
  const order = object({
    id: { type: 'string', pattern: '^ord_[0-9a-z]{12}$' },
    postcode: { type: 'string', pattern: '^[0-9]{5}$' },
    email: { type: 'string', pattern: '^[^@ ]+@[^@ ]+\\.[a-z]{2,}$' },
  })

  test('an ordinary input with ordinary patterns is checked', () => {
    expect(maxInlineCharacters(order)).toBeGreaterThan(1_500)
  })

  test('no schema is compiled that takes long, however short the input', () => {
    const fields = Array.from({ length: 200 }, (_, at) => [`f${at}`, { type: 'integer' }])
    expect(maxInlineCharacters(object(Object.fromEntries(fields)))).toBe(0)
    expect(maxInlineCharacters(object({ a: { pattern: '[ab]{1000}c' } }))).toBe(0)
    expect(maxInlineCharacters(object({ a: { pattern: `[${'\\p{L}\\P{N}'.repeat(100)}]` } }))).toBe(0)
  })

  test('no schema is weighed that is long, refers dynamically, or leads out of itself', () => {
    expect(maxInlineCharacters({ description: 'x'.repeat(8 * 1024) })).toBe(0)
    expect(maxInlineCharacters(object({ a: { $dynamicRef: '#a' }, b: { $dynamicAnchor: 'a' } }))).toBe(0)
    expect(maxInlineCharacters(object({ a: { $ref: '#/$defs/missing' } }))).toBe(0)
  })

  // holds CAP-14
  test('no pattern is tried for more steps than ten milliseconds have', () => {
    const most = maxInlineCharacters(object({ a: { not: { pattern: '(?:a?b?c?d?a?b?c?d?)+$|z{1}' } } }))
    expect(most).toBeGreaterThan(1_000)
    expect(most).toBeLessThan(10_000)
  })
})
