import { describe, expect, test } from 'vitest'
import { schemaProblem } from '../../src/schemas/compile.ts'
import { checkOf, object } from './schema-support.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const LATEST = 'https://json-schema.org/draft/2020-12/schema'

describe('dialects', () => {
  // holds CAP-10
  test('2020-12 is what a schema is without $schema, or with its own', () => {
    for (const named of [{}, { $schema: LATEST }, { $schema: `${LATEST}#` }]) {
      const check = checkOf({
        ...named,
        ...object({ pair: { prefixItems: [{ type: 'string' }, { type: 'number' }] } }),
      })
      expect(check({ pair: ['a', 1] })).toBeNull()
      expect(check({ pair: [1] })).toEqual({ 'input.pair.0': ['must be string.'] })
    }
    expect(schemaProblem(object({ pair: { items: [{ type: 'string' }] } }))).toContain('is not valid JSON Schema')
  })

  test.each([DRAFT_07, 'http://json-schema.org/draft-07/schema', 'https://json-schema.org/draft-07/schema#'])(
    'draft-07 is what %s says',
    ($schema) => {
      const check = checkOf({ $schema, ...object({ pair: { items: [{ type: 'string' }] } }), definitions: {} })
      expect(check({ pair: [1] })).toEqual({ 'input.pair.0': ['must be string.'] })
      const later = checkOf({ $schema, ...object({ pair: { prefixItems: [{ type: 'string' }] } }) })
      expect(later({ pair: [1] })).toBeNull()
    },
  )

  test.each([
    'http://json-schema.org/draft-04/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://schemas.example.com/mine.json',
  ])('the dialect %j is refused by its name', ($schema) => {
    expect(schemaProblem({ $schema })).toContain(`names a $schema that is not supported (${$schema})`)
  })

  test.each([7, {}, [], null])('a $schema of %j is refused', ($schema) => {
    expect(schemaProblem({ $schema })).toBe('is not valid JSON Schema: $schema must be a string')
  })

  test('a keyword that no dialect knows says nothing', () => {
    expect(checkOf(object({ a: { type: 'string', 'x-note': { anything: true } } }))({ a: 'b' })).toBeNull()
  })

  test.each([
    { type: 'strin' },
    { required: 'a' },
    { minimum: '1' },
    { properties: { a: 7 } },
    { pattern: 7 },
    { enum: 1 },
  ])('%j is refused as no schema', (schema) => {
    expect(schemaProblem(schema)).toContain('is not valid JSON Schema')
  })
})

describe('references', () => {
  test('inside the schema are followed, recursion included', () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
      required: ['children'],
    }
    const check = checkOf({ ...object({ root: { $ref: '#/$defs/tree' } }), $defs: { tree } })
    expect(check({ root: { children: [{ children: [] }] } })).toBeNull()
    expect(check({ root: { children: [{}] } })).toEqual({ 'input.root.children.0.children': ['is required.'] })
  })

  test('to a part by its own $id are followed', () => {
    const check = checkOf({
      $id: 'https://shop.example.com/order.json',
      ...object({ item: { $ref: 'item.json' } }),
      $defs: { item: { $id: 'item.json', type: 'string' } },
    })
    expect(check({ item: 1 })).toEqual({ 'input.item': ['must be string.'] })
  })

  test.each([
    'https://evil.example/schema.json',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'other.json',
    '#/$defs/missing',
    LATEST,
    DRAFT_07,
    'https://json-schema.org/draft/2020-12/meta/core',
  ])('to %s are refused, and the reference is named', ($ref) => {
    expect(schemaProblem(object({ a: { $ref } }))).toContain(`has a $ref that leads out of the schema (${$ref})`)
    expect(schemaProblem({ $schema: DRAFT_07, ...object({ a: { $ref } }) })).toContain('leads out of the schema')
  })

  test('that lead straight back to themselves are refused instead of followed for ever', () => {
    expect(schemaProblem({ $ref: '#' })).toMatch(/without end|too long/)
    expect(
      schemaProblem({ ...object({}), allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/a' } } }),
    ).toMatch(/without end|too long/)
  })

  test('of one schema never meet those of another, even where both have one $id', () => {
    const $id = 'https://shop.example.com/thing.json'
    const text = checkOf({ $id, ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: { type: 'string' } } })
    const number = checkOf({ $id, ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: { type: 'number' } } })
    expect([text({ a: 'x' }), number({ a: 1 })]).toEqual([null, null])
    expect([text({ a: 1 }), number({ a: 'x' })]).toEqual([
      { 'input.a': ['must be string.'] },
      { 'input.a': ['must be number.'] },
    ])
    expect(schemaProblem(object({ a: { $ref: $id } }))).toContain('leads out of the schema')
    expect(schemaProblem({ $id: LATEST, type: 'object' })).toBeNull()
    expect(schemaProblem({ type: 'strin' })).toContain('is not valid')
  })
})

describe('what would let a schema do more than describe', () => {
  test.each([
    { $async: true },
    { $async: false },
    object({ a: { $async: true, type: 'string' } }),
    { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: { $async: true, type: 'string' } } },
  ])('%j is refused: no check is asynchronous', (schema) => {
    expect(schemaProblem(schema)).not.toBeNull()
  })

  test('$data is no reference to the data', () => {
    expect(schemaProblem(object({ a: { minimum: { $data: '1/b' } }, b: {} }))).toContain('is not valid JSON Schema')
    const check = checkOf(object({ a: { const: { $data: '1/b' } }, b: {} }))
    expect(check({ a: 1, b: 1 })).not.toBeNull()
  })

  test('names and texts of a schema are never code', () => {
    const nasty = `a"];globalThis.pwned = true;//'\`\${1}\n\u2028*/`
    const check = checkOf({
      ...object(
        { [nasty]: { type: 'string', const: nasty, description: nasty, $comment: nasty } },
        { required: [nasty] },
      ),
      title: nasty,
      patternProperties: { 'x\\"\\]\\);': { enum: [nasty] } },
    })
    expect(check({ [nasty]: nasty })).toBeNull()
    expect(Object.keys(check({}) ?? {})).toEqual([`input.${nasty}`])
    expect('pwned' in globalThis).toBe(false)
  })
})
