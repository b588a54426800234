import type { JsonObject } from '@svc/contract'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { isInline, patternWeight, weigh, weightProblem } from '../../src/schemas/rules.ts'
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
      const weight = weigh(object({ a: { pattern } }))
      expect(isInline(weight, 2)).toBe(false)
      expect(weightProblem(weight)).toBeNull()
    },
  )
})

const tree = (next: JsonObject): JsonObject => ({
  $ref: '#/$defs/node',
  $defs: { node: object({ next }) },
})

describe('the weight of a schema', () => {
  const item = object({ id: { type: 'string' }, size: { enum: [1, 2, 3] } })

  test('counts what references lead to where they stand', () => {
    const once = weigh({ ...object({ a: { $ref: '#/$defs/item' } }), $defs: { item } })
    const twice = weigh({ ...object({ a: { $ref: '#/$defs/item' }, b: { $ref: '#/$defs/item' } }), $defs: { item } })
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
    ['refers to what is not there', object({ a: { $ref: '#/$defs/none' } })],
    ['refers by a name', { ...object({ a: { $ref: 'item.json' } }), $defs: { item: { $id: 'item.json' } } }],
    ['has names inside', { ...object({ a: { $ref: '#/$defs/x' } }), $defs: { x: {}, y: { $anchor: 'y' } } }],
    ['refers dynamically', { $dynamicAnchor: 'a', ...object({ a: { $dynamicRef: '#a' } }) }],
    ['refers in an encoded way', { ...object({ a: { $ref: '#/%24defs/x' } }), $defs: { x: {} } }],
  ])('of one that %s has no end', (_, schema) => {
    expect(weigh(schema).check).toBe(Number.POSITIVE_INFINITY)
    expect(weightProblem(weigh(schema))).toBeNull()
  })

  test('a chain of thousands of references is weighed without overflowing the stack', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    )
    expect(weigh({ $ref: '#/$defs/d0', $defs: { ...$defs, d5000: {} } }).check).toBe(Number.POSITIVE_INFINITY)
  })

  test('references that double with each level are refused once they make a million', () => {
    const doubling = (levels: number): JsonObject => {
      const definitions = Array.from({ length: levels }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` }
        return [`d${at}`, { allOf: [next, next] }]
      })
      return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(definitions), [`d${levels}`]: {} } }
    }
    expect(weightProblem(weigh(doubling(10)))).toBeNull()
    expect(weightProblem(weigh(doubling(30)))).toContain('takes too long to check')
  })
})

describe('on the event loop', () => {
  const order = object({
    id: { type: 'string', pattern: '^ord_[0-9a-z]{12}$' },
    postcode: { type: 'string', pattern: '^[0-9]{5}$' },
    email: { type: 'string', pattern: '^[^@ ]+@[^@ ]+\\.[a-z]{2,}$' },
  })

  test('an ordinary input with ordinary patterns is checked', () => {
    expect(isInline(weigh(order), 4_000)).toBe(true)
  })

  test('no schema is compiled that takes long, however short the input', () => {
    const fields = Array.from({ length: 200 }, (_, at) => [`f${at}`, { type: 'integer' }])
    expect(isInline(weigh(object(Object.fromEntries(fields))), 2)).toBe(false)
    expect(isInline(weigh(object({ a: { pattern: '[ab]{1000}c' } })), 2)).toBe(false)
    expect(isInline(weigh(object({ a: { pattern: `[${'\\p{L}\\P{N}'.repeat(100)}]` } })), 2)).toBe(false)
  })

  test('no pattern is tried for more steps than ten milliseconds have', () => {
    const schema = weigh(object({ a: { not: { pattern: '(?:a?b?c?d?a?b?c?d?)+$|z{1}' } } }))
    expect(isInline(schema, 1_000)).toBe(true)
    expect(isInline(schema, 10_000)).toBe(false)
  })
})
