import type { FromJsonSchema, JsonSchema } from '@svc/sdk'
import { expectTypeOf, test } from 'vitest'

/** The schema as it was written, for its type. */
const written = <const Schema extends JsonSchema>(schema: Schema) => schema

test('an object has its required fields, and the others may be missing', () => {
  const schema = written({
    type: 'object',
    properties: {
      sku: { type: 'string' },
      quantity: { type: 'integer' },
      address: { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] },
      extra: true,
      never: false,
    },
    required: ['sku', 'address', 'unnamed'],
  })
  expectTypeOf<FromJsonSchema<typeof schema>>().toEqualTypeOf<{
    sku: string
    address: { zip: string }
    unnamed: unknown
    quantity?: number | undefined
    extra?: unknown
    never?: undefined
  }>()
})

test('a schema defined elsewhere as const is the same', () => {
  const schema = {
    type: 'object',
    properties: { tags: { type: 'array', items: { enum: ['new', 'sale'] } } },
    required: ['tags'],
    additionalProperties: false,
  } as const satisfies JsonSchema
  expectTypeOf<FromJsonSchema<typeof schema>>().toEqualTypeOf<{ tags: ('new' | 'sale')[] }>()
})

test('constants, lists of values and lists of types', () => {
  expectTypeOf<FromJsonSchema<{ const: 'gift' }>>().toEqualTypeOf<'gift'>()
  expectTypeOf<FromJsonSchema<{ type: 'string'; enum: readonly ['a', 'b', null] }>>().toEqualTypeOf<'a' | 'b' | null>()
  expectTypeOf<FromJsonSchema<{ type: readonly ['string', 'null'] }>>().toEqualTypeOf<string | null>()
  const nullable = written({ type: ['object', 'null'], properties: { id: { type: 'number' } }, required: ['id'] })
  expectTypeOf<FromJsonSchema<typeof nullable>>().toEqualTypeOf<{ id: number } | null>()
})

test('arrays and tuples', () => {
  const pair = [{ type: 'string' }, { type: 'number' }] as const
  type Pair = typeof pair
  expectTypeOf<FromJsonSchema<{ type: 'array' }>>().toEqualTypeOf<unknown[]>()
  expectTypeOf<FromJsonSchema<{ type: 'array'; items: { type: 'array'; items: { type: 'null' } } }>>().toEqualTypeOf<
    null[][]
  >()
  expectTypeOf<FromJsonSchema<{ type: 'array'; prefixItems: Pair }>>().toEqualTypeOf<[string?, number?, ...unknown[]]>()
  expectTypeOf<FromJsonSchema<{ type: 'array'; prefixItems: Pair; items: false; minItems: 2 }>>().toEqualTypeOf<
    [string, number]
  >()
  expectTypeOf<
    FromJsonSchema<{ type: 'array'; prefixItems: Pair; items: { type: 'boolean' }; minItems: 1 }>
  >().toEqualTypeOf<[string, number?, ...boolean[]]>()
  expectTypeOf<FromJsonSchema<{ type: 'array'; items: Pair; additionalItems: false }>>().toEqualTypeOf<
    [string?, number?]
  >()
})

test('maps, with and without named fields', () => {
  expectTypeOf<FromJsonSchema<{ type: 'object'; additionalProperties: { type: 'number' } }>>().toEqualTypeOf<
    Record<string, number>
  >()
  expectTypeOf<FromJsonSchema<{ type: 'object'; additionalProperties: false }>>().toEqualTypeOf<Record<string, never>>()
  const mixed = written({
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: { type: 'number' },
  })
  expectTypeOf<FromJsonSchema<typeof mixed>>().toEqualTypeOf<{ [name: string]: string | number; name: string }>()
})

test('choices are unions, and stand beside what all of them share', () => {
  const shape = written({
    oneOf: [
      { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
      { type: 'object', properties: { kind: { const: 'square' }, a: { type: 'number' } }, required: ['kind', 'a'] },
      { type: 'null' },
    ],
  })
  expectTypeOf<FromJsonSchema<typeof shape>>().toEqualTypeOf<
    { kind: 'circle'; r: number } | { kind: 'square'; a: number } | null
  >()
  const shared = written({
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    anyOf: [{ properties: { a: { type: 'number' } }, required: ['a'] }, { properties: { b: { type: 'null' } } }],
  })
  expectTypeOf<FromJsonSchema<typeof shared>>().toEqualTypeOf<
    { id: string; a: number } | { id: string; b?: null | undefined }
  >()
  expectTypeOf<FromJsonSchema<{ anyOf: readonly [{ type: 'string' }, { minLength: 3 }] }>>().toEqualTypeOf<unknown>()
  expectTypeOf<
    FromJsonSchema<{ type: 'string'; anyOf: readonly [{ minLength: 3 }, { pattern: '^x' }] }>
  >().toEqualTypeOf<string>()
})

test('allOf is all of them at once', () => {
  const both = written({
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'boolean' } } },
    ],
    type: 'object',
    properties: { c: { type: 'null' } },
    required: ['c'],
  })
  expectTypeOf<FromJsonSchema<typeof both>>().toEqualTypeOf<{ c: null; a: string; b?: boolean | undefined }>()
})

test('a reference inside the schema is followed once', () => {
  const order = written({
    type: 'object',
    properties: { from: { $ref: '#/$defs/address' }, to: { $ref: '#/definitions/address' } },
    required: ['from', 'to'],
    $defs: { address: { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] } },
    definitions: { address: { type: 'string' } },
  })
  expectTypeOf<FromJsonSchema<typeof order>>().toEqualTypeOf<{ from: { zip: string }; to: string }>()
  const tree = written({ $ref: '#/$defs/node', $defs: { node: { type: 'array', items: { $ref: '#/$defs/node' } } } })
  expectTypeOf<FromJsonSchema<typeof tree>>().toEqualTypeOf<unknown[]>()
  expectTypeOf<FromJsonSchema<{ $ref: '#' }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<{ $ref: 'https://example.com/a.json' }>>().toEqualTypeOf<unknown>()
})

test('schemas that say too little say so', () => {
  expectTypeOf<FromJsonSchema<{ type: 'object' }>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<FromJsonSchema<{ type: string }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<{ anyOf: [] }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<JsonSchema>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<undefined>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<false>>().toEqualTypeOf<never>()
})
