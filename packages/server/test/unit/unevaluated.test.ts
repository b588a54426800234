import { type JsonObject, jsonSchemaCheck } from '@svc/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileDeployed, schemaProblem } from '../../src/schemas/compile.ts'

type Part = JsonObject | boolean

const names = fc.constantFrom('a', 'b', 'c')
const scalar = fc.constantFrom(1, 2, 'x', null)
const VALUES = fc.oneof(
  fc.dictionary(names, fc.oneof(scalar, fc.dictionary(names, scalar, { maxKeys: 2 })), { maxKeys: 3 }),
  fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxLength: 4 }),
)
const LEAF = fc.constantFrom<Part>(
  ...[true, true, false, {}, { type: 'string' }, { type: 'integer' }, { const: 1 }, { required: ['a'] }],
  ...[{ minItems: 2 }, { maxItems: 2 }, { $ref: '#/$defs/d' }],
)

/** Schemas of a few keywords that evaluate members or items, or hide what others evaluate. */
const PART = fc.letrec<{ part: Part }>((tie) => {
  const one = tie('part')
  const list = fc.array(one, { minLength: 1, maxLength: 2 })
  const map = (keys: fc.Arbitrary<string>) => fc.dictionary(keys, one, { minKeys: 1, maxKeys: 2 })
  const keyword = fc.oneof(
    ...[
      'additionalProperties',
      'unevaluatedProperties',
      'items',
      'contains',
      'unevaluatedItems',
      'not',
      'if',
      'then',
      'else',
    ].map((name) => fc.tuple(fc.constant(name), one)),
    ...['prefixItems', 'allOf', 'anyOf', 'oneOf'].map((name) => fc.tuple(fc.constant(name), list)),
    ...['properties', 'dependentSchemas'].map((name) => fc.tuple(fc.constant(name), map(names))),
    fc.tuple(fc.constant('patternProperties'), map(fc.constantFrom('^a', 'b$', '[bc]'))),
    fc.tuple(fc.constant('minContains'), fc.constantFrom(0, 1, 2)),
  )
  const several = fc.array(keyword, { minLength: 1, maxLength: 4 }).map((entries): Part => Object.fromEntries(entries))
  return { part: fc.oneof({ maxDepth: 3 }, LEAF, several) }
}).part

/** The target of references: it refers to nothing, since the two libraries break circles in different places. */
const TARGET = fc.constantFrom<JsonObject>(
  ...[{ properties: { a: true } }, { patternProperties: { '^b': { type: 'integer' } } }, { prefixItems: [true] }],
  ...[{ contains: { type: 'integer' } }, { anyOf: [{ properties: { c: true }, required: ['c'] }, true] }],
)

const REST = fc.constantFrom<JsonObject>(
  { unevaluatedProperties: false, unevaluatedItems: false },
  { unevaluatedProperties: { type: 'string' }, unevaluatedItems: { type: 'integer' } },
)

test('members and items that no keyword evaluates are the same to the SDK’s validator, which is another library', () => {
  const counts = { fits: 0, faulty: 0 }
  const schemas = fc.tuple(PART, PART, TARGET, REST).map(([own, other, d, rest]): JsonObject => {
    const nested = { anyOf: [true, other] }
    return { ...(typeof own === 'object' ? own : {}), allOf: [nested], ...rest, $defs: { d } }
  })
  fc.assert(
    fc.property(schemas, fc.array(VALUES, { minLength: 1, maxLength: 8 }), (schema, values) => {
      fc.pre(schemaProblem(schema) === null)
      const [ours, theirs] = [compileDeployed(schema), jsonSchemaCheck(schema)]
      for (const value of values) {
        const fits = Object.keys(theirs(value)).length === 0
        expect(ours(value, 'input') === null).toBe(fits)
        counts[fits ? 'fits' : 'faulty'] += 1
      }
    }),
    { numRuns: 300, seed: 1 },
  )
  expect(Math.min(counts.fits, counts.faulty)).toBeGreaterThan(100)
})
