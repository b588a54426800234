import { type JsonObject, jsonSchemaCheck } from '@svc/contract'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/** The faults that a schema finds in a value. */
function faults(schema: JsonObject, value: unknown) {
  return jsonSchemaCheck(schema)(value)
}

describe('faults are told in plain words', () => {
  test.each<[string, JsonObject, unknown, string]>([
    ['a wrong type', { type: 'string' }, 5, 'must be a string.'],
    ['a choice of types', { type: ['integer', 'null'] }, 'x', 'must be a whole number or null.'],
    ['a boolean', { type: 'boolean' }, 0, 'must be true or false.'],
    ['a constant', { const: 'a' }, 'b', 'must be "a".'],
    ['a list of values', { enum: ['a', 1] }, 'b', 'must be one of "a", 1.'],
    ['a least number', { minimum: 3 }, 2, 'must be at least 3.'],
    ['a greatest number', { maximum: 3 }, 4, 'must be at most 3.'],
    ['an open lower bound', { exclusiveMinimum: 3 }, 3, 'must be more than 3.'],
    ['an open upper bound', { exclusiveMaximum: 3 }, 3, 'must be less than 3.'],
    ['a step', { multipleOf: 0.1 }, 0.25, 'must be a multiple of 0.1.'],
    ['a least length', { minLength: 1 }, '', 'must have at least 1 character.'],
    ['a greatest length', { maxLength: 2 }, 'abc', 'must have at most 2 characters.'],
    ['a pattern', { pattern: '^x' }, 'y', 'must match the pattern ^x.'],
    ['a format', { format: 'email' }, 'y', 'must be a valid email.'],
    ['a web address', { format: 'url' }, 'y', 'must be a url.'],
    ['too few items', { minItems: 1 }, [], 'must have at least 1 item.'],
    ['too many items', { maxItems: 1 }, [1, 2], 'must have at most 1 item.'],
    ['repeated items', { uniqueItems: true }, [1, 2, 1], 'must not hold the same item twice.'],
    [
      'an item that is missing',
      { contains: { const: 1 } },
      [2],
      'must hold an item of the form that its schema asks for.',
    ],
    ['too few fields', { minProperties: 1 }, {}, 'must have at least 1 field.'],
    ['too many fields', { maxProperties: 0 }, { a: 1 }, 'must have at most 0 fields.'],
    ['a form that is excluded', { not: { type: 'null' } }, null, 'has a form that is not allowed.'],
    ['a field that needs another', { dependentRequired: { a: ['b'] } }, { a: 1 }, 'must have b where it has a.'],
  ])('%s', (_situation, schema, value, sentence) => {
    expect(faults(schema, value)).toEqual({ input: [sentence] })
  })

  test('a fault of the whole value stands under the name that was asked for', () => {
    expect(jsonSchemaCheck({ type: 'object' }, 'output')(null)).toEqual({ output: ['must be an object.'] })
  })

  test('the value itself is in no sentence', () => {
    const schema = { properties: { pin: { type: 'integer', minimum: 9, enum: [10] } } }
    expect(
      JSON.stringify(faults(schema, { pin: 7_531 }) && faults({ maxLength: 1, pattern: 'x' }, '7531')),
    ).not.toMatch(/7531/)
  })
})

describe('each fault stands at its own path', () => {
  test('through properties, items and references, without the schemas around it', () => {
    const schema = {
      type: 'object',
      properties: { lines: { type: 'array', items: { $ref: '#/$defs/line' } }, note: { type: 'string' } },
      required: ['lines', 'note'],
      additionalProperties: false,
      $defs: { line: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku', 'count'] } },
    }
    expect(faults(schema, { lines: [{ sku: 'a', count: 1 }, { sku: 5 }], 'a/b~c': 1 })).toEqual({
      note: ['is required.'],
      'lines.1.count': ['is required.'],
      'lines.1.sku': ['must be a string.'],
      'a/b~c': ['is not a known field.'],
    })
  })

  test('under a condition, a tuple and names', () => {
    expect(faults({ if: { required: ['a'] }, else: { required: ['b'] } }, {})).toEqual({ b: ['is required.'] })
    expect(faults({ prefixItems: [{ type: 'string' }], items: false }, [1, 2])).toEqual({
      0: ['must be a string.'],
      1: ['is one item too many.'],
    })
    expect(faults({ propertyNames: { pattern: '^a' } }, { b: 1 })).toEqual({
      b: ['is not a name that is allowed here.'],
    })
  })
})

describe('of the forms of a choice, the one that was meant is told', () => {
  const circle = {
    type: 'object',
    properties: { kind: { const: 'circle' }, r: { type: 'number' } },
    required: ['kind', 'r'],
  }
  const square = {
    type: 'object',
    properties: { kind: { const: 'square' }, a: { type: 'number' } },
    required: ['kind', 'a'],
  }

  test.each<[string, JsonObject, unknown, object]>([
    [
      'types become one list',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      { input: ['must be a string or null.'] },
    ],
    [
      'constants become one list',
      { oneOf: [{ const: 'a' }, { const: 'b' }] },
      1,
      { input: ['must be one of "a", "b".'] },
    ],
    ['the right type tells', { anyOf: [circle, { type: 'null' }] }, { kind: 'circle' }, { r: ['is required.'] }],
    ['the right tag tells', { anyOf: [circle, square] }, { kind: 'square' }, { a: ['is required.'] }],
    [
      'a wrong tag is told',
      { oneOf: [circle, square] },
      { kind: 'line' },
      { kind: ['must be one of "circle", "square".'] },
    ],
    [
      'else none of them',
      { anyOf: [{ minLength: 3 }, { pattern: '^x' }] },
      'a',
      { input: ['fits none of the forms that are allowed here.'] },
    ],
    [
      'more than one',
      { oneOf: [{ type: 'number' }, { minimum: 1 }] },
      5,
      { input: ['fits more than one of the forms of which it must fit exactly one.'] },
    ],
  ])('%s', (_situation, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected)
  })
})

test('ten faults are told at most', () => {
  const found = faults(
    { items: { type: 'string' } },
    Array.from({ length: 50 }, (_, index) => index),
  )
  expect(Object.keys(found)).toHaveLength(10)
})

describe('a schema that nothing can be checked against is refused when the check is made', () => {
  test.each<[string, JsonObject, RegExp]>([
    [
      'a $ref that leads nowhere',
      { properties: { a: { $ref: '#/$defs/none' } } },
      /\$ref.*\(#\/\$defs\/none\).*under \$defs/,
    ],
    ['a $ref out of the schema', { $ref: 'https://schemas.example.com/a.json' }, /\$ref.*example\.com/],
    ['a $ref to itself', { $ref: '#' }, /leads back to itself/],
    [
      'a circle in place',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } },
      /leads back to itself/,
    ],
    ['an unknown type', { items: { type: 'strng' } }, /type "strng": there are string, /],
    ['a broken pattern', { pattern: '[' }, /pattern "\[", which is no regular expression/],
    ['a broken pattern for names', { patternProperties: { '(': true } }, /pattern "\("/],
    [
      'an older draft',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      /\$schema.*draft-04.*2020-12 or draft-07/,
    ],
  ])('%s', (_situation, schema, message) => {
    expect(() => jsonSchemaCheck(schema)).toThrow(TypeError)
    expect(() => jsonSchemaCheck(schema)).toThrow(message)
  })

  test('a reference that leads back to itself through a member is fine', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }
    expect(faults(tree, { next: { next: {} } })).toEqual({})
    expect(faults(tree, { next: { next: 5 } })).toEqual({ 'next.next': ['must be an object.'] })
  })
})

test('draft-07 is read as such where $schema says so', () => {
  const schema = { items: [{ type: 'string' }], additionalItems: false }
  expect(faults({ $schema: DRAFT_07, ...schema }, ['a', 'b'])).toEqual({ 1: ['is one item too many.'] })
  const besideRef = { $ref: '#/$defs/a', minimum: 5, $defs: { a: { type: 'number' } } }
  expect(faults({ $schema: DRAFT_07, ...besideRef }, 1)).toEqual({})
  expect(faults(besideRef, 1)).toEqual({ input: ['must be at least 5.'] })
})

test('the schema stays as it was written, frozen or not', () => {
  const schema = Object.freeze({
    type: 'object',
    properties: Object.freeze({ a: Object.freeze({ $ref: '#/$defs/a' }) }),
    $defs: { a: {} },
  })
  expect(faults(schema, { a: 1 })).toEqual({})
  expect(Object.getOwnPropertyNames(schema.$defs.a)).toEqual([])
})

test('examples are no schemas', () => {
  const example = { id: 'A 1', $ref: '#/nowhere' }
  const schema = { properties: { a: { example, default: example }, b: { example, examples: [example] } } }
  expect(faults(schema, { a: 1 })).toEqual({})
})

describe('a hostile value', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'has no field %s that it was not given',
    (name) => {
      const schema = { required: [name], properties: Object.fromEntries([[name, { type: 'string' }]]) }
      expect(faults(schema, {})).toEqual(Object.fromEntries([[name, ['is required.']]]))
      expect(faults(schema, Object.fromEntries([[name, 5]]))).toEqual(
        Object.fromEntries([[name, ['must be a string.']]]),
      )
      expect(faults({ additionalProperties: false }, Object.fromEntries([[name, 5]]))).toEqual(
        Object.fromEntries([[name, ['is not a known field.']]]),
      )
    },
  )

  test('that is nested without end is refused, whatever the schema', () => {
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
    expect(faults({ items: { $ref: '#' } }, deep)).toEqual({ input: ['is nested more than 100 levels deep.'] })
    const allowed = JSON.parse('['.repeat(100) + ']'.repeat(100))
    expect(faults({ items: { $ref: '#' } }, allowed)).toEqual({})
  })

  test.each([
    ['a number beyond all', JSON.parse('{"a":1e999}'), 'is a number that JSON cannot hold.'],
    ['undefined', { a: undefined }, 'is nothing that JSON can hold.'],
    ['a big integer', { a: 1n }, 'is nothing that JSON can hold.'],
  ])('that is no JSON is refused: %s', (_situation, value, sentence) => {
    expect(faults({}, value)).toEqual({ a: [sentence] })
  })

  test('with hundreds of thousands of wrong members has its first fault told', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => index)
    expect(faults({ items: { type: 'string' } }, many)).toEqual({ 0: ['must be a string.'] })
    expect(faults({ contains: { type: 'string' } }, many)).toEqual({
      input: ['must hold an item of the form that its schema asks for.'],
    })
  })

  test('with alternatives inside alternatives is checked in steps that do not double with each level', () => {
    const kinds = ['and', 'or', 'not', 'any']
    const node = (tag: string) => ({
      type: 'object',
      properties: { items: { type: 'array', items: { $ref: '#/$defs/node' } }, kind: { const: tag } },
      required: ['kind'],
    })
    const schema = { $defs: { node: { oneOf: kinds.map(node) } }, $ref: '#/$defs/node' }
    const nested = (depth: number, leaf: string): unknown =>
      depth === 0 ? { kind: leaf } : { kind: 'and', items: [nested(depth - 1, leaf)] }
    expect(faults(schema, nested(40, 'any'))).toEqual({})
    expect(faults(schema, nested(40, 'none'))).toEqual({ input: ['fits none of the forms that are allowed here.'] })
  })

  test('that would take a power of its depth to check is refused', () => {
    const either = { type: 'array', items: { $ref: '#' } }
    const schema = { anyOf: [either, { ...either, maxItems: 1 }, { type: 'null' }] }
    const nested = (depth: number): unknown => (depth === 0 ? null : [nested(depth - 1)])
    expect(faults(schema, nested(5))).toEqual({})
    expect(faults(schema, nested(60))).toEqual({ input: ['takes too long to be checked.'] })
  })

  test('with tens of thousands of unknown names in each alternative is told of in linear time', () => {
    const only = (name: string) => ({ type: 'object', properties: { [name]: {} }, additionalProperties: false })
    const value = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))
    expect(faults({ anyOf: [only('a'), only('b')] }, value)).toEqual({
      input: ['fits none of the forms that are allowed here.'],
    })
  })

  test('with half of a surrogate pair as a name is refused', () => {
    const value: unknown = JSON.parse('{"\\ud800":1}')
    expect(faults({ additionalProperties: { type: 'number' } }, value)).toEqual({
      input: ['has a name that is no Unicode text.'],
    })
  })

  test('is not compared item by item without a limit', () => {
    const items = (length: number) => Array.from({ length }, (_, index) => index)
    const schema = { uniqueItems: true, allOf: [{ type: 'array' }] }
    expect(faults(schema, items(1_000))).toEqual({})
    expect(faults(schema, items(200_000))).toEqual({ input: ['must have at most 1000 items.'] })
  })
})

describe('the verdict is that of the validator that the control plane uses', () => {
  const names = fc.constantFrom('a', 'b', 'c')
  const leaf = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object') }),
    fc.record({ type: fc.uniqueArray(fc.constantFrom('string', 'null', 'object'), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom(1, 'x', null) }),
    fc.record({ enum: fc.constantFrom([1, 'x'], [null]) }),
    fc.record({ minimum: fc.integer({ min: 0, max: 3 }), exclusiveMaximum: fc.integer({ min: 1, max: 5 }) }),
    fc.record(
      { minLength: fc.nat(2), maxLength: fc.nat(3), pattern: fc.constantFrom('^x', 'y$') },
      { requiredKeys: [] },
    ),
  )
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record(
        {
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        },
        { requiredKeys: ['properties'] },
      ),
      fc.record({ items: tie('schema'), minItems: fc.nat(1), uniqueItems: fc.boolean() }, { requiredKeys: ['items'] }),
      fc.record({ prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), else: tie('schema') }),
    ),
  }))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(0, 1, 2, 2.5, 'x', 'xy', 'y', '', null, true, false),
      fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }))

  test.each([
    ['2020-12', {}, Ajv2020],
    ['draft-07', { $schema: DRAFT_07 }, Ajv],
  ])('%s', (_draft, dialect, Validator) => {
    let agreedValid = 0
    fc.assert(
      fc.property(schema, value, (generated, given) => {
        const validator = new Validator({
          strict: false,
          logger: false,
          ownProperties: true,
          meta: false,
          validateSchema: false,
        })
        const isValid = validator.validate(generated, given)
        const found = faults({ ...dialect, ...generated }, given)
        expect(Object.keys(found).length === 0).toBe(isValid)
        expect(JSON.stringify(found)).not.toMatch(/does not fit its schema|undefined/)
        agreedValid += isValid ? 1 : 0
      }),
      { numRuns: 200, seed: 4 },
    )
    expect(agreedValid).toBeGreaterThan(20)
  })
})
