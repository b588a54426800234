import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inputRootProblem } from '../../src/deployments/rules.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { compileDeployed, schemaProblem } from '../../src/schemas/compile.ts'
import { checkOf, object } from './schema-support.ts'

describe('names that every object inherits', () => {
  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'])(
    '%s is a field like any other',
    (name) => {
      const optional = checkOf(object({ [name]: { type: 'string' } }))
      expect(optional({})).toBeNull()
      expect(optional({ [name]: 'x' })).toBeNull()
      expect(optional({ [name]: 7 })).toEqual({ [`input.${name}`]: ['must be string.'] })
      const required = checkOf(object({}, { required: [name] }))
      expect(required({})).toEqual({ [`input.${name}`]: ['is required.'] })
      expect(required({ [name]: 1 })).toBeNull()
    },
  )

  test('__proto__ in schema and value neither throws nor reaches a prototype', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","properties":{"x":{"type":"string"}}}},"required":["__proto__"],"additionalProperties":false}',
    )
    const check = checkOf(schema)
    check(JSON.parse('{"__proto__":{"x":1}}'))
    check({})
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(Reflect.get({}, 'x')).toBeUndefined()
    const named = checkOf(object({}, { additionalProperties: false }))(JSON.parse('{"__proto__":1}'))
    expect(Object.keys(named ?? {})).toEqual(['input.__proto__'])
  })
})

describe('faults', () => {
  const check = checkOf({
    ...object(
      {
        name: { type: 'string', minLength: 2 },
        items: { type: 'array', items: object({ size: { enum: ['S', 'M'] } }, { required: ['size'] }) },
        'a/b~c': { type: 'number' },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      { required: ['name'], additionalProperties: false },
    ),
  })

  test.each([
    [{}, 'input.name', 'is required.'],
    [{ name: 'x' }, 'input.name', 'must NOT have fewer than 2 characters.'],
    [{ name: 7 }, 'input.name', 'must be string.'],
    [{ name: 'xx', nmae: 1 }, 'input.nmae', 'is not a known field.'],
    [{ name: 'xx', items: [{ size: 'S' }, {}] }, 'input.items.1.size', 'is required.'],
    [{ name: 'xx', items: [{ size: 'XL' }] }, 'input.items.0.size', 'must be one of ["S","M"].'],
    [{ name: 'xx', 'a/b~c': 'x' }, 'input.a/b~c', 'must be number.'],
    [[], 'input', 'must be object.'],
    [null, 'input', 'must be object.'],
  ])('%j fails at %s', (value, path, message) => {
    expect(check(value)).toEqual({ [path]: [message] })
  })

  test('of several ways that all failed are told together', () => {
    expect(check({ name: 'xx', either: true })).toEqual({
      'input.either': ['must be string.', 'must be number.', 'must match a schema in anyOf.'],
    })
  })

  test('are told below the root that is asked for, and do not change what was checked', () => {
    const checkDefaults = checkOf(
      object({ a: { type: 'string', default: 'x' } }, { required: ['a'], additionalProperties: false }),
    )
    const value = Object.freeze({ b: 1 })
    expect(checkDefaults(value, 'output')).toEqual({ 'output.a': ['is required.'] })
    expect(value).toEqual({ b: 1 })
  })

  test('of two checks do not run into each other', () => {
    expect(check({ name: 7 })).not.toBeNull()
    expect(check({ name: 'xx' })).toBeNull()
    expect(check({ name: 7 })).toEqual({ 'input.name': ['must be string.'] })
  })
})

test('types are not coerced and numbers are finite', () => {
  const check = checkOf(object({ n: { type: 'integer' }, b: { type: 'boolean' } }))
  for (const value of [{ n: '1' }, { n: 1.5 }, { n: Number.POSITIVE_INFINITY }, { b: 'true' }, { b: 0 }]) {
    expect(check(value)).not.toBeNull()
  }
  expect(check({ n: 1.0, b: false })).toBeNull()
})

test('an empty array contains nothing, also where its first items have schemas', () => {
  const contains = { type: 'integer' }
  const latest = checkOf(object({ a: { prefixItems: [{ type: 'string' }], contains } }))
  const earlier = checkOf({
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({ a: { items: [{ type: 'string' }], contains } }),
  })
  for (const check of [latest, earlier]) {
    expect(check({ a: [] })).toEqual({ 'input.a': ['must contain at least 1 valid item(s).'] })
    expect(check({ a: ['x', 1] })).toBeNull()
  }
})

test('the root of an input is an object', () => {
  for (const schema of [{}, { type: 'object' }, { properties: {} }]) expect(inputRootProblem(schema)).toBeNull()
  for (const type of ['array', 'string', ['object', 'null'], ['object'], null, 7]) {
    expect(inputRootProblem({ type })).toContain('must describe an object at its root')
  }
})

test('whatever object is given as a schema, it compiles or is refused with a sentence', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    '$ref',
    '$id',
    'pattern',
    'enum',
    'format',
    'anyOf',
    'if',
    '$defs',
    'required',
  )
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(keyword, schema, { maxKeys: 5 }), fc.jsonValue(), (given, value) => {
      const problem = schemaProblem(given)
      if (problem !== null) expect(problem.length).toBeGreaterThan(10)
      const faults = (problem === null && compileDeployed(given)(value, 'input')) || {}
      for (const path of Object.keys(faults)) expect(path).toMatch(/^input(\.|$)/)
    }),
    { numRuns: 500, seed: 1 },
  )
})

test('a schema’s size is counted in bytes', () => {
  expect(JsonDocument.of({ a: 'é😀' }).bytes).toBe(Buffer.byteLength('{"a":"é😀"}'))
})
