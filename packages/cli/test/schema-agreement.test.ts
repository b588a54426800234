import type { JsonObject } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { verdicts } from './support/verdicts.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema'

function field(schema: unknown, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { field: schema }, ...more }
}

function draft07(schema: unknown, more: JsonObject = {}): JsonObject {
  return field(schema, { $schema: DRAFT_07, ...more })
}

function ofZod(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(z.object({ field: schema }))
}

/** An object whose innermost part stands this many levels deep, its own included. */
function nested(levels: number): JsonObject {
  let schema: JsonObject = {}
  for (let level = 1; level < levels; level += 2) schema = { properties: { a: schema } }
  return schema
}

const BAD: readonly (readonly [what: string, said: RegExp, schema: JsonObject])[] = [
  ['a look-behind', /linear time/, field({ pattern: '(?<!x)a' })],
  ['a look-ahead', /linear time/, field({ pattern: '^(?=a)' })],
  ['a back-reference', /linear time/, field({ pattern: '(a)\\1' })],
  ['a back-reference by name', /linear time/, field({ pattern: '(?<n>a)\\k<n>' })],
  ['a repeat above 1000', /linear time/, field({ pattern: '^.{0,2000}$' })],
  ['a look-ahead for the names of fields', /linear time/, { patternProperties: { '^(?!x)': {} } }],
  ['a pattern that is none', /no regular expression/, field({ pattern: '(' })],
  ['a pattern in a choice within a list', /linear time/, field({ items: { anyOf: [{ pattern: '(?=a)' }] } })],
  ['a pattern under not, as draft-07', /linear time/, draft07({ not: { pattern: '(?=a)' } })],
  ['the duration of zod', /meta\(\{ format: 'duration' \}\)/, ofZod(z.iso.duration())],
  ['the hostname of zod', /meta\(\{ format: 'hostname' \}\)/, ofZod(z.hostname())],
  ['the emoji of zod', /refine\(/, ofZod(z.emoji())],
  ['a reference to another host', /\$ref that leads/, field({ $ref: 'https://evil.example/schema.json' })],
  ['a reference to a file', /\$ref that leads/, field({ $ref: 'file:///etc/passwd' })],
  ['a reference from fields by pattern', /\$ref that leads/, { patternProperties: { '^a': { $ref: '#/$defs/t' } } }],
  ['a reference to what is not there', /\$ref that leads/, field({ $ref: '#/$defs/missing' })],
  ['a reference to its own dialect', /\$ref that leads/, field({ $ref: DRAFT_2020_12 })],
  ['a reference to another host, as draft-07', /\$ref that leads/, draft07({ $ref: 'https://evil.example/x' })],
  ['a reference to itself without end', /without end/, { type: 'object', allOf: [{ $ref: '#' }] }],
  [
    'a circle of references',
    /without end/,
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
  ],
  ['a reference that is no text', /\$ref must be a text/, field({ $ref: 7 })],
  ['an unknown draft', /\$schema that is not supported/, { $schema: 'https://example.com/my-draft' }],
  ['draft-04', /\$schema that is not supported/, { $schema: 'http://json-schema.org/draft-04/schema#' }],
  ['2020-12 by http', /\$schema that is not supported/, { $schema: 'http://json-schema.org/draft/2020-12/schema' }],
  ['a draft that is no text', /\$schema that is not supported/, { $schema: 7 }],
  ['a type that is none', /"objekt": there are string/, field({ type: 'objekt' })],
  ['a number for a type', /there are string/, field({ type: 7 })],
  ['a type twice', /each type once/, field({ type: ['string', 'string'] })],
  ['no type in a list of them', /each type once/, field({ type: [] })],
  ['a length in a text', /minLength must be a whole number/, field({ minLength: '3' })],
  ['a length below 0', /maxItems must be a whole number/, field({ maxItems: -1 })],
  ['a bound in a text', /minimum must be a number/, field({ minimum: '3' })],
  ['a step of 0', /multipleOf must be a number above 0/, field({ multipleOf: 0 })],
  ['required as a truth', /required must be a list of names/, field({ required: true })],
  ['a required name twice', /required must be a list of names/, { required: ['a', 'a'] }],
  ['no choice', /enum must be a list/, field({ enum: [] })],
  ['no alternative', /must be a list of one schema or more/, field({ anyOf: [] })],
  ['fields in a list', /must be an object of schemas/, { properties: [] }],
  ['a field that is no schema', /must be a schema/, field('string')],
  ['a list of items, which is draft-07', /must be a schema/, field({ items: [{ type: 'string' }] })],
  ['a dependency that is no list of names', /must be a list of names/, draft07({}, { dependencies: { a: [1] } })],
  ['“id”', /write \$id/, field({ id: 'order', type: 'string' })],
  ['“nullable” without a type', /no type/, field({ nullable: true, enum: ['a'] })],
  [
    'a type null that is not nullable',
    /leave one of the two out/,
    field({ type: ['string', 'null'], nullable: false }),
  ],
  ['work that goes on later', /\$async/, { $async: true }],
  ['an anchor with a space', /\$anchor must be a name/, field({ $anchor: 'a b' })],
  ['more than 64 KiB', /at most 65536 are accepted/, { description: 'é'.repeat(32_768) }],
  ['more than 32 levels in all', /at most 26 are accepted/, nested(27)],
  ['a NUL in a text', /NUL character/, { title: 'a\0' }],
  ['half a character', /surrogate pair/, field({ const: '\ud83d' })],
  ['a field named __proto__', /__proto__/, JSON.parse('{"properties":{"__proto__":{}}}')],
  ['a $dynamicRef to what is not there', /\$ref that leads/, field({ $dynamicRef: '#t' })],
  [
    'an address twice',
    /\$id “https:\/\/a\.example\/” twice/,
    { allOf: [{ $id: 'https://a.example' }, { $id: 'https://a.example' }] },
  ],
  ['an anchor twice', /anchor “t” twice/, { $defs: { a: { $anchor: 't' }, b: { $dynamicAnchor: 't' } } }],
  ['a quotation, which RE2 knows', /linear time/, field({ pattern: '^\\Qa\\E$' })],
  ['a category that Unicode has not', /linear time/, field({ pattern: '^\\p{Letters}$' })],
]

const GOOD: readonly (readonly [what: string, schema: JsonObject])[] = [
  ['an empty schema', {}],
  ['2020-12 by name', field({ type: 'string' }, { $schema: DRAFT_2020_12 })],
  ['draft-07 by name', draft07({ $ref: '#/definitions/t' }, { definitions: { t: { type: 'string' } } })],
  ['draft-07 by https, without its mark', field({}, { $schema: 'https://json-schema.org/draft-07/schema' })],
  ['a schema that refers to itself', field({ type: 'array', items: { $ref: '#' } })],
  ['an address of its own', field({ $ref: '#/$defs/t' }, { $id: 'https://shop.example.com/s', $defs: { t: {} } })],
  ['a reference to a part of itself', { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } }],
  ['a reference by anchor', field({ $ref: '#t' }, { $defs: { t: { $anchor: 't', type: 'string' } } })],
  [
    'a $dynamicRef',
    field({ $ref: 'list' }, { $defs: { l: { $id: 'list', $dynamicAnchor: 't', items: { $dynamicRef: '#t' } } } }),
  ],
  [
    'a urn: $ref to a part that refers on',
    { $ref: 'urn:uuid:1', $defs: { a: { $id: 'urn:uuid:1', $defs: { b: {} }, $ref: '#/$defs/b' } } },
  ],
  [
    'unevaluatedProperties with if alone',
    { type: 'object', if: { properties: { a: {} } }, unevaluatedProperties: false },
  ],
  ['a reference among fields by pattern', { patternProperties: { '^a': { $ref: '#/$defs/t' } }, $defs: { t: {} } }],
  ['fields named like keywords', { properties: { $ref: { type: 'string' }, pattern: {}, type: {}, items: {} } }],
  ['words and formats of one’s own', field({ format: 'phone-number', colour: 1 }, { 'x-order': 1 })],
  ['truths for schemas', { properties: { a: true, b: false }, additionalProperties: false }],
  ['items of draft-07', draft07({ items: [{ type: 'string' }], additionalItems: false })],
  ['dependencies of draft-07', draft07({}, { dependencies: { a: ['b'], c: { required: ['d'] } } })],
  ['what draft-07 does not know', draft07({ prefixItems: 7, dependentRequired: 7, minContains: 'x' })],
  ['tuples', field({ prefixItems: [{ type: 'string' }], items: false, minItems: 1 })],
  ['conditions', JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":false}')],
  ['fields by pattern', { patternProperties: { '^x-\\@': { type: 'string' } }, propertyNames: { maxLength: 9 } }],
  ['a pattern that only an older RegExp takes', field({ pattern: 'a\\@b\\-c\\_' })],
  ['a pattern of Unicode’s', field({ pattern: '^\\p{L}+$' })],
  ['a category by its long name', field({ pattern: '^\\p{Letter}[\\P{General_Category=Control}\\p{gc=Nd}]$' })],
  ['a pattern with a name', field({ pattern: '(?<year>\\d{4})' })],
  ['a value that looks like a bad schema', field({ const: { pattern: '(?=a)', type: 7 }, default: { $ref: '#/x' } })],
  ['examples that look like bad schemas', field({ examples: [{ type: 7 }, { pattern: '(' }] })],
  ['a choice of anything', field({ enum: [null, 1, 'a', { a: 1 }] })],
  ['nullable with a type', field({ type: 'string', nullable: true })],
  ['the duration as a format', ofZod(z.string().meta({ format: 'duration' }))],
  ['the hostname as a format', ofZod(z.string().meta({ format: 'hostname' }))],
  ['the emoji checked in code', ofZod(z.string().refine((text) => z.emoji().safeParse(text).success))],
  [
    'the other texts of zod',
    z.toJSONSchema(
      z.object({
        dates: z.tuple([z.iso.date(), z.iso.datetime({ offset: true }), z.iso.time()]),
        ids: z.tuple([z.uuid(), z.guid(), z.nanoid(), z.cuid2(), z.ulid(), z.xid(), z.ksuid()]),
        nets: z.tuple([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.url(), z.email()]),
        bytes: z.tuple([z.base64(), z.base64url(), z.e164(), z.jwt(), z.hex()]),
        parts: z.string().startsWith('a').endsWith('z').includes('m').lowercase(),
        kinds: z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
        map: z.record(z.string().regex(/^[a-z]+$/), z.number().int().positive().multipleOf(5)),
      }),
    ),
  ],
  ['64 KiB', { description: 'a'.repeat(65_536 - JSON.stringify({ description: '' }).length) }],
  ['32 levels in all', nested(25)],
]

describe('what the control plane refuses', () => {
  // holds CLI-02
  test.each(BAD)('is refused by the tool: %s', (_what, said, schema) => {
    expect({ server: verdicts(schema).server !== null }).toEqual({ server: true })
    const [[place, [sentence]] = ['', ['']]] = Object.entries(verdicts(schema).tool)
    expect(place).toMatch(/^capabilities\.0/)
    expect(sentence).toMatch(said)
  })
})

describe('what the control plane accepts', () => {
  // holds CLI-02
  test.each(GOOD)('is accepted by the tool: %s', (_what, schema) => {
    expect(verdicts(schema)).toEqual({ server: null, tool: {} })
  })
})
