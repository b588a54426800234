import type { JsonObject } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileAlone } from '../../server/src/schemas/dialects.ts'
import { generatorContext } from './support/generator-context.ts'
import { findings, validators, writtenOpenApi } from './support/openapi.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/** The document of a runtime whose one capability has this as its output schema, and the check of an output by it. */
async function embedded(schema: JsonObject) {
  const actions = [{ name: 'it', outputSchema: schema }]
  const document = await writtenOpenApi(generatorContext({ capabilities: [{ name: 'it', version: '1.0.0', actions }] }))
  return { document, fits: validators(document)('/components/schemas/ItOutput') }
}

/** The control plane's check by a schema, without its limits of time; null for a schema that it does not take. */
function checkOf(schema: JsonObject): ((value: unknown) => boolean) | null {
  try {
    const validate = compileAlone(schema)
    // One that leads back to itself compiles, and never ends.
    validate({})
    return (value) => validate(value)
  } catch {
    return null
  }
}

async function expectSame(schema: JsonObject, values: readonly unknown[]): Promise<void> {
  const { document, fits } = await embedded(schema)
  const isTaken = checkOf(schema)
  for (const value of values) expect([value, fits(value)]).toEqual([value, isTaken?.(value)])
  expect(new Set(values.map((value) => isTaken?.(value)))).toEqual(new Set([true, false]))
  expect(await findings(document, 'spec')).toEqual([])
}

describe('an owner’s schema in the OpenAPI document takes what the control plane takes', () => {
  const cases: [string, JsonObject, unknown[]][] = [
    [
      'its own definitions',
      { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/b' } }, b: { type: 'string' } } },
      [['x'], [1], 'x'],
    ],
    [
      'itself',
      { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{ next: { next: {} } }, { next: { other: 1 } }],
    ],
    [
      'any other place of itself',
      { type: 'array', prefixItems: [{ type: 'integer' }, { $ref: '#/prefixItems/0' }] },
      [
        [1, 2],
        [1, 'x'],
      ],
    ],
    [
      'a place whose name must be escaped',
      { $ref: '#/$defs/a~1b%25~0%20%C3%BC', $defs: { 'a/b%~ ü': { const: 1 } } },
      [1, 2],
    ],
    [
      'a place under a keyword that nobody knows',
      { $ref: '#/x-shapes/a', 'x-shapes': { a: { type: 'null' } } },
      [null, 1],
    ],
    ['an anchor', { $ref: '#price', $defs: { a: { $anchor: 'price', minimum: 3 } } }, [3, 2]],
    [
      'an address of its own',
      {
        $id: 'https://shop.example.com/schemas/list.json',
        items: { $ref: 'item.json' },
        $defs: { a: { $id: 'item.json', type: 'string' } },
      },
      [['x'], [1]],
    ],
    [
      'addresses within addresses',
      {
        $id: 'https://shop.example.com/a/b.json',
        $ref: 'c/d.json',
        $defs: { d: { $id: 'c/d.json', allOf: [{ $ref: '#/$defs/e' }], $defs: { e: { const: 1 } } }, e: { const: 2 } },
      },
      [1, 2],
    ],
    [
      'an urn',
      { $id: 'urn:example:root', $ref: 'urn:example:leaf', $defs: { a: { $id: 'urn:example:leaf', const: 1 } } },
      [1, 2],
    ],
    ['a name that looks escaped', { $ref: '#/$defs/~01', $defs: { '~1': { const: 1 }, '/': { const: 2 } } }, [1, 2]],
    [
      'a place in a part with an address',
      {
        $ref: 'https://x.example/a.json#/$defs/p',
        $defs: { a: { $id: 'https://x.example/a.json', $defs: { p: { const: 1 } } } },
      },
      [1, 2],
    ],
    [
      'a part with an address, where it stands',
      {
        properties: {
          a: { $id: 'https://x.example/a.json', allOf: [{ $ref: '#/$defs/p' }], $defs: { p: { const: 1 } } },
        },
        $defs: { p: { const: 2 } },
      },
      [{ a: 1 }, { a: 2 }],
    ],
    [
      'a value that looks like the part with an address',
      {
        $ref: 'https://x.example/a.json',
        $defs: { a: { $id: 'https://x.example/a.json', type: 'integer' } },
        not: { enum: [{ $id: 'https://x.example/a.json', type: 'string' }] },
      },
      [1, 'x'],
    ],
    [
      'a dynamic reference',
      {
        $dynamicAnchor: 'node',
        type: 'object',
        properties: { of: { $dynamicRef: '#node' } },
      },
      [{ of: {} }, { of: 1 }],
    ],
    [
      'definitions in the older place',
      { properties: { a: { $ref: '#/definitions/a' } }, definitions: { a: { const: 1 } } },
      [{ a: 1 }, { a: 2 }],
    ],
    ['a reference with company', { $ref: '#/$defs/a', minimum: 5, $defs: { a: { type: 'integer' } } }, [5, 4, 5.5]],
    [
      'true and false',
      { properties: { a: true, b: false }, anyOf: [true], additionalProperties: false },
      [{ a: 1 }, { b: 1 }, { c: 1 }],
    ],
    [
      'true and false by reference',
      { properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/b' } }, $defs: { a: true, b: false } },
      [{ a: 1 }, { b: 1 }],
    ],
    ['nullable', { type: 'string', nullable: true }, [null, 'x', 1]],
    ['nullable among types', { type: ['string', 'integer'], nullable: true }, [null, 1, true]],
    [
      'old dependencies',
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{ a: 1 }, { a: 1, b: 1 }, { c: 1 }, { c: 1, d: 1 }],
    ],
    [
      'old dependencies beside new ones',
      { dependencies: { a: ['b'] }, dependentRequired: { a: ['c'] }, allOf: [{ maxProperties: 3 }] },
      [
        { a: 1, b: 1 },
        { a: 1, c: 1 },
        { a: 1, b: 1, c: 1 },
      ],
    ],
    [
      'properties that are called like keywords',
      { properties: { $ref: { type: 'string' }, $id: { type: 'integer' }, enum: { const: 1 } } },
      [{ $ref: '#/nowhere' }, { $ref: 1 }, { $id: 1 }, { $id: 'x' }, { enum: 2 }],
    ],
    [
      'values that look like schemas',
      { enum: [{ $ref: '#/nowhere', $id: 'x' }], default: { $ref: '#/nowhere' } },
      [{ $ref: '#/nowhere', $id: 'x' }, {}],
    ],
    ['a constant that looks like a reference', { const: { $ref: '#/nowhere' } }, [{ $ref: '#/nowhere' }, {}]],
    [
      'what it has of later dialects',
      { unevaluatedProperties: false, allOf: [{ properties: { a: true } }] },
      [{ a: 1 }, { b: 1 }],
    ],
    [
      'a tuple of draft-07',
      { $schema: DRAFT_07, items: [{ type: 'string' }, true], additionalItems: false },
      [['x', 1], ['x', 1, 2], [1]],
    ],
    [
      'an open tuple of draft-07',
      { $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
      [
        ['x', 1],
        ['x', 'y'],
      ],
    ],
    ['a list of draft-07', { $schema: DRAFT_07, items: { type: 'string' }, additionalItems: false }, [['x', 'y'], [1]]],
    [
      'definitions of draft-07',
      {
        $schema: DRAFT_07,
        $ref: '#/definitions/Item',
        definitions: { Item: { type: 'object', properties: { of: { $ref: '#/definitions/Item' } } } },
      },
      [{ of: {} }, { of: 1 }],
    ],
    [
      'an anchor of draft-07',
      { $schema: DRAFT_07, $ref: '#item', definitions: { a: { $id: '#item', const: 1 } } },
      [1, 2],
    ],
    [
      'a tuple’s member of draft-07, by reference',
      { $schema: DRAFT_07, items: [{ const: 1 }, { $ref: '#/items/0' }] },
      [
        [1, 1],
        [1, 2],
      ],
    ],
    [
      'what draft-07 does not know',
      { $schema: DRAFT_07, type: 'array', prefixItems: [false], minItems: 1, dependentRequired: { a: ['b'] } },
      [[1], []],
    ],
    [
      'a condition of draft-07',
      { $schema: DRAFT_07, ...condition({ type: 'string' }, { minLength: 2 }, { minimum: 2 }) },
      ['x', 'xy', 1, 2],
    ],
  ]

  test.each(cases)('with %s', async (_, schema, values) => {
    await expectSame(schema, values)
  })

  const name = fc.constantFrom('a', 'b', 'c', '$ref', 'ü/~%')
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(null, true, 0, 1, 2.5, '', 'a', 'ab'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(name, tie('any'), { maxKeys: 3 }),
    ),
  })).any
  const reference = fc.constantFrom(
    '#',
    '#/$defs/a',
    '#/$defs/b',
    '#/definitions/c',
    '#near',
    'other.json',
    '#/properties/a',
    '#/x-more/d',
  )
  const leaf = fc.oneof(
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'number', 'object', 'array', 'null', 'boolean'),
        nullable: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }) }),
    fc.record({ const: value }),
    fc.record({ minLength: fc.nat(2), minimum: fc.nat(2), maxItems: fc.nat(2), maxProperties: fc.nat(2) }),
    fc.record({
      required: fc.uniqueArray(name, { maxLength: 2 }),
      dependentRequired: fc.dictionary(name, fc.constant(['a']), { maxKeys: 1 }),
    }),
  )
  const schemas = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 4 }, leaf, leaf, tie('inner')),
    inner: fc.oneof(
      fc.record(
        { properties: fc.dictionary(name, tie('any'), { maxKeys: 3 }), additionalProperties: tie('any') },
        { requiredKeys: [] },
      ),
      fc.record({ properties: fc.dictionary(name, fc.record({ $ref: reference }), { minKeys: 1, maxKeys: 3 }) }),
      fc.record({ items: fc.record({ $ref: reference }) }),
      fc.record({ items: tie('any'), contains: tie('any') }, { requiredKeys: [] }),
      fc.record(
        { tuple: fc.array(tie('any'), { minLength: 1, maxLength: 2 }), rest: tie('any') },
        { requiredKeys: ['tuple'] },
      ),
      fc.record({ allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
      fc.record(
        { anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }), not: tie('any') },
        { requiredKeys: ['anyOf'] },
      ),
      fc.tuple(tie('any'), tie('any'), tie('any')).map((parts) => condition(...parts)),
      fc.record({ dependencies: fc.dictionary(name, fc.oneof(fc.constant(['b']), tie('any')), { maxKeys: 2 }) }),
      fc.record(
        { patternProperties: fc.record({ '^[ab]$': tie('any') }), propertyNames: tie('any') },
        { requiredKeys: ['patternProperties'] },
      ),
    ),
  })).any
  const roots = fc
    .record({
      isEarlier: fc.boolean(),
      root: schemas,
      a: schemas,
      b: schemas,
      c: schemas,
      d: schemas,
      near: schemas,
      other: schemas,
      propertyA: schemas,
    })
    .map(({ isEarlier, root, a, b, c, d, near, other, propertyA }) => {
      const anchored = isEarlier ? { $id: '#near' } : { $anchor: 'near' }
      const own = typeof root === 'object' && root !== null ? root : {}
      const properties = 'properties' in own && typeof own.properties === 'object' ? own.properties : {}
      return tuplesOf(
        {
          ...own,
          properties: { ...properties, a: propertyA },
          $defs: {
            a,
            b,
            near: { ...anchored, allOf: [near] },
            other: {
              $id: 'other.json',
              allOf: [other],
              $defs: { a: b, b: a },
              definitions: { c },
              properties: { a: c },
              'x-more': { d: a },
              not: { ...(isEarlier ? { $id: '#near' } : { $anchor: 'near' }), const: 'never' },
            },
          },
          definitions: { c },
          'x-more': { d },
          ...(isEarlier && { $schema: DRAFT_07 }),
        },
        isEarlier,
      )
    })

  // holds GEN-11
  test('for schemas of any kind, in either dialect', async () => {
    const seen = { taken: 0, refused: 0, schemas: 0 }
    await fc.assert(
      fc.asyncProperty(roots, fc.array(value, { minLength: 6, maxLength: 6 }), async (schema, values) => {
        const isTaken = checkOf(schema)
        if (!isTaken) return
        seen.schemas += 1
        const { fits } = await embedded(schema)
        for (const one of values) {
          const isOurs = isTaken(one)
          seen[isOurs ? 'taken' : 'refused'] += 1
          expect([one, fits(one)]).toEqual([one, isOurs])
        }
      }),
      { numRuns: 100, seed: 20_260_402 },
    )
    expect(seen.schemas).toBeGreaterThan(60)
    expect(seen.taken).toBeGreaterThan(40)
    expect(seen.refused).toBeGreaterThan(40)
  }, 120_000)

  test('and the document is valid whatever the schemas are', async () => {
    await fc.assert(
      fc.asyncProperty(roots, async (schema) => {
        if (!checkOf(schema)) return
        expect(await findings((await embedded(schema)).document, 'spec')).toEqual([])
      }),
      { numRuns: 40, seed: 20_260_403 },
    )
  }, 120_000)
})

// Written this way because an object with a member of this name looks like a promise.
function condition(...parts: [unknown, unknown, unknown]): JsonObject {
  return Object.fromEntries(['if', 'then', 'else'].map((keyword, index) => [keyword, parts[index]]))
}

/** Writes `tuple` and `rest` as the dialect does. */
function tuplesOf(schema: JsonObject, isEarlier: boolean): JsonObject {
  const [tuple, rest] = isEarlier ? ['items', 'additionalItems'] : ['prefixItems', 'items']
  const text = JSON.stringify(schema, (_, node: unknown) => {
    if (typeof node !== 'object' || node === null || !('tuple' in node)) return node
    return { [String(tuple)]: node.tuple, ...('rest' in node && { [String(rest)]: node.rest }) }
  })
  return JSON.parse(text)
}
