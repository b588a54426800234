import {
  changeSentence,
  compareDeployments,
  type DeploymentView,
  type JsonObject,
  jsonSchemaCheck,
  removalWarnings,
} from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const PARTY = {
  type: 'object',
  properties: { party: { type: 'object', properties: { size: { type: 'integer', minimum: 1, maximum: 20 } } } },
}

function deployed(fields: object = {}, settings: object = {}): DeploymentView {
  return { capabilities: [{ name: 'book-table', version: '1.0.0', ...fields }], ...settings }
}

function withInput(inputSchema: object | undefined): DeploymentView {
  return deployed({ actions: [{ name: 'book', inputSchema }] })
}

function withOutput(outputSchema: object | undefined): DeploymentView {
  return deployed({ actions: [{ name: 'book', outputSchema }] })
}

function sentences(before: DeploymentView, after: DeploymentView): string[] {
  return compareDeployments(before, after).map(changeSentence)
}

const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required })

test('an effect store is named as the pages name it', () => {
  expect(sentences(deployed(), deployed({}, { reconcile: true }))).toEqual(['effect store: none → true'])
  const [added] = sentences({ capabilities: [] }, deployed({ name: 'reconcile' }))
  expect(added).toMatch(/^reconcile: /)
})

test('the same deployment has no differences, whatever the order of keys and whatever made it', () => {
  const before = { ...withInput(PARTY), runtime: { sdkVersion: '1.0.0' }, metadata: { cliVersion: '1.0.0' } }
  const turned = { properties: PARTY.properties, type: 'object' }
  const after = { ...withInput(turned), runtime: { sdkVersion: '1.1.0' }, metadata: { cliVersion: '2.0.0' } }
  expect(compareDeployments(before, after)).toEqual([])
  expect(compareDeployments(deployed(), deployed({ effect: 'write', confirm: false }))).toEqual([])
})

test('each difference of capabilities is named, and said to be breaking where callers may fail', () => {
  const before = { capabilities: [...deployed().capabilities, { name: 'old', version: '1.0.0' }] }
  const after = {
    capabilities: [
      { name: 'new', version: '1.0.0' },
      { name: 'book-table', version: '1.1.0' },
    ],
  }
  expect(compareDeployments(before, after)).toEqual([
    { of: 'capability', name: 'new', kind: 'added', breaking: false, text: 'added' },
    { of: 'capability', name: 'book-table', kind: 'changed', breaking: false, text: 'version 1.0.0 → 1.1.0' },
    { of: 'capability', name: 'old', kind: 'removed', breaking: true, text: 'removed' },
  ])
})

test.each([
  [{ description: 'Books.' }, { description: 'Books a table.' }, 'book-table: description changed'],
  [{ requiresEndUser: false }, { requiresEndUser: true }, 'book-table: requiresEndUser false → true, breaking'],
  [{ requiresEndUser: true }, { requiresEndUser: false }, 'book-table: requiresEndUser true → false'],
  [{}, { deprecated: true }, 'book-table: deprecated none → true'],
  [{}, { effect: 'destructive' }, 'book-table: effect write → destructive'],
  [{}, { confirm: true }, 'book-table: confirm false → true, breaking'],
])('%j → %j', (before, after, sentence) => {
  expect(sentences(deployed(before), deployed(after))).toEqual([sentence])
})

test('settings are compared field by field, and an endpoint that is left out stays', () => {
  const before = deployed(
    {},
    { endpoint: 'https://a.example/svc', website: { name: 'Shop', url: 'https://a.example' } },
  )
  const after = deployed({}, { website: { name: 'Shop', url: 'https://b.example' }, agent: { limits: { steps: 3 } } })
  expect(sentences(before, after)).toEqual([
    'website.url: https://a.example → https://b.example',
    'agent.limits.steps: none → 3',
  ])
  expect(sentences(deployed({}, { endpoint: null }), deployed({}, { endpoint: 'https://a.example/svc' }))).toEqual([
    'endpoint: none → https://a.example/svc',
  ])
})

describe('input schemas', () => {
  const size = (schema: object) => object({ party: object({ size: schema }) })

  test.each<[string, object, object, string[]]>([
    ['a bound', size({ maximum: 20 }), size({ maximum: 12 }), ['party.size maximum 20 → 12, breaking']],
    ['a wider bound', size({ maximum: 12 }), size({ maximum: 20 }), ['party.size maximum 12 → 20']],
    ['a new bound', size({}), size({ minLength: 3 }), ['party.size minLength none → 3, breaking']],
    ['a type', size({ type: 'number' }), size({ type: 'integer' }), ['party.size type number → integer, breaking']],
    [
      'a wider type',
      size({ type: 'integer' }),
      size({ type: ['number', 'null'] }),
      ['party.size type integer → null or number'],
    ],
    [
      'values',
      size({ enum: ['a', 'b'] }),
      size({ enum: ['b', 'c'] }),
      ['party.size lost the value "a", breaking', 'party.size gained the value "c"'],
    ],
    ['a constant', size({}), size({ const: 1 }), ['party.size accepts only 1, breaking']],
    ['a pattern', size({ pattern: 'a' }), size({ pattern: 'b' }), ['party.size pattern a → b, breaking']],
    ['no pattern', size({ pattern: 'a' }), size({}), ['party.size pattern a → none']],
    ['a field', object({}), object({ note: {} }), ['note added']],
    ['a required field', object({}), object({ note: {} }, 'note'), ['note added, required, breaking']],
    ['a field that is required', object({ a: {} }), object({ a: {} }, 'a'), ['a is required now, breaking']],
    ['a field that is optional', object({ a: {} }, 'a'), object({ a: {} }), ['a is optional now']],
    ['no field', object({ a: {} }), object({}), ['a removed']],
    [
      'no field where others are refused',
      { ...object({ a: {} }), additionalProperties: false },
      { ...object({}), additionalProperties: false },
      ['a removed, breaking'],
    ],
    ['other fields', object({}), { ...object({}), additionalProperties: false }, ['refuses other fields, breaking']],
    [
      'items',
      object({ list: { type: 'array', items: { type: 'string' } } }),
      object({ list: { type: 'array', items: { type: 'number' } } }),
      ['list[] type string → number, breaking'],
    ],
    [
      'an alternative',
      object({ a: { type: 'string' } }),
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      ['a gained 1 alternative'],
    ],
    [
      'an alternative that changed',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      object({ a: { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 4 }] } }),
      ['a maxLength none → 4, breaking'],
    ],
    [
      'a definition',
      { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: { maximum: 2 } } },
      { ...object({ a: { $ref: '#/$defs/B' } }), $defs: { B: { maximum: 1 } } },
      ['a maximum 2 → 1, breaking'],
    ],
    ['a description', size({ description: 'a' }), size({ description: 'b' }), ['party.size description changed']],
  ])('%s', (_, before, after, expected) => {
    const told = expected.map((text) => `book-table: ${text}`)
    expect(sentences(withInput(before), withInput(after))).toEqual(told)
  })

  test('one that is new breaks where it asks for something, and one that is gone does not', () => {
    expect(sentences(withInput(undefined), withInput(object({ a: {} })))).toEqual(['book-table: input schema added'])
    expect(sentences(withInput(undefined), withInput(object({ a: {} }, 'a')))).toEqual([
      'book-table: input schema added, breaking',
    ])
    expect(sentences(withInput(PARTY), withInput(undefined))).toEqual(['book-table: input schema removed'])
  })

  test('one that leads back to itself, or names a part in ever more places, comes to an end', () => {
    const tree = (maximum: number) => ({
      ...object({ next: { $ref: '#' }, value: { maximum } }),
    })
    expect(sentences(withInput(tree(2)), withInput(tree(1)))).toEqual(['book-table: value maximum 2 → 1, breaking'])
    const doubling = (maximum: number) => ({
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => {
          const next = { $ref: `#/$defs/d${n + 1}` }
          return [`d${n}`, n === 39 ? { maximum } : object({ a: next, b: next })]
        }),
      ),
    })
    const changes = sentences(withInput(doubling(2)), withInput(doubling(1)))
    expect(changes[0]).toBe(`book-table: ${Array(39).fill('a').join('.')} maximum 2 → 1, breaking`)
    expect(changes[1]).toMatch(/ differs in the same way, breaking$/)
    expect(changes).toHaveLength(40)
  })

  test.each([
    ['in lists of alternatives', (inner: object) => ({ anyOf: [inner, { type: 'null' }] })],
    ['in other fields', (inner: object) => ({ type: 'object', additionalProperties: inner })],
    ['in keywords that are not weighed', (inner: object) => ({ not: inner })],
  ])('those deep %s take no longer than a reading of the schemas', (_where, nest) => {
    const deep = (name: string) => {
      let schema: object = object(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`${name}${n}`, {}])))
      for (let depth = 0; depth < 25; depth += 1) schema = nest(schema)
      return withInput(object({ a: schema }))
    }
    let lookedAt = 0
    const ownKeys = (target: object) => {
      lookedAt += 1
      return Reflect.ownKeys(target)
    }
    const watch = (_: string, value: unknown) =>
      typeof value === 'object' && value !== null ? new Proxy(value, { ownKeys }) : value
    const watched = (view: DeploymentView): DeploymentView => JSON.parse(JSON.stringify(view), watch)
    expect(sentences(watched(deep('a')), watched(deep('b'))).length).toBeGreaterThan(0)
    expect(lookedAt).toBeLessThan(2 * 2_000 * 8)
  })

  test('those that differ in more than is compared say so', () => {
    const many = (maximum: number) => {
      const fields = Array.from({ length: 300 }, (_, n) => [`f${n}`, { maximum }] as const)
      return object(Object.fromEntries(fields))
    }
    const told = sentences(withInput(many(2)), withInput(many(1)))
    expect(told).toHaveLength(201)
    expect(told.at(-1)).toBe('book-table: differs in more than was compared, breaking')
  })

  // holds DEP-27
  test('what is not said to be breaking goes on accepting what was accepted', () => {
    const leaf = fc.oneof(
      fc.record(
        {
          type: fc.constantFrom('integer', 'number'),
          minimum: fc.integer({ min: -3, max: 3 }),
          maximum: fc.integer({ min: -3, max: 3 }),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { type: fc.constant('string'), maxLength: fc.nat(3), minLength: fc.nat(3) },
        { requiredKeys: ['type'] },
      ),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom(0, 1, 'a', null), { minLength: 1 }) }),
      fc.record({
        anyOf: fc.array(fc.constantFrom({ type: 'string' }, { type: 'null' }, { maximum: 1 }), { minLength: 1 }),
      }),
    )
    const schema = fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), leaf, { noNullPrototype: true }),
        required: fc.uniqueArray(fc.constantFrom('a', 'b')),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type', 'properties'] },
    )
    const value = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom<unknown>(-1, 0, 1, 2.5, 'a', 'abc', null),
      {
        noNullPrototype: true,
      },
    )
    fc.assert(
      fc.property(schema, schema, fc.array(value, { minLength: 8, maxLength: 8 }), (before, after, values) => {
        fc.pre(compareDeployments(withInput(before), withInput(after)).every(({ breaking }) => !breaking))
        const [was, is] = [before, after].map((one) => jsonSchemaCheck(JSON.parse(JSON.stringify(one))))
        const accepts = (check: typeof was, input: JsonObject) => Object.keys(check?.(input) ?? {}).length === 0
        const described = values.filter((input) =>
          Object.keys(input).every((name) => Object.hasOwn(before.properties, name)),
        )
        for (const input of described) if (accepts(was, input)) expect(accepts(is, input)).toBe(true)
      }),
      { numRuns: 300, maxSkipsPerRun: 1_000 },
    )
  })
})

describe('output schemas', () => {
  const total = { total: { type: 'number' } }

  test.each<[string, object | undefined, object | undefined, string[]]>([
    ['a field less', object(total), object({}), ['output total removed, breaking']],
    ['a field more', object({}), object(total), ['output total added']],
    ['a field that may be missing', object(total, 'total'), object(total), ['output total is optional now, breaking']],
    [
      'a type more',
      object(total),
      object({ total: { type: ['number', 'null'] } }),
      ['output total type number → null or number, breaking'],
    ],
    ['none any more', object(total), undefined, ['output schema removed, breaking']],
    ['the first one', undefined, object(total, 'total'), ['output schema added']],
  ])('%s', (_, before, after, expected) => {
    const told = expected.map((text) => `book-table: ${text}`)
    expect(sentences(withOutput(before), withOutput(after))).toEqual(told)
  })
})

describe('a capability that is left out', () => {
  const gone = { capabilities: [] }

  // holds DEP-19
  test('is warned of where it was never marked deprecated', () => {
    expect(removalWarnings(deployed(), gone)).toEqual([expect.stringContaining('without having been deprecated')])
    expect(removalWarnings(deployed({ deprecated: true }), gone)).toEqual([])
    expect(removalWarnings(deployed(), deployed())).toEqual([])
  })

  // holds DEP-26
  test.each([
    ['1.4.0', '2.0.0', true],
    ['2.0.0-rc.1', '2.0.0', true],
    ['2.0.0-alpha.9', '2.0.0-alpha.10', true],
    ['2.0.0', '2.0.0', false],
    ['2.0.0+build', '2.0.0', false],
    ['10.0.0', '9.0.0', false],
    ['2.0.0-rc.1', '2.0.0-alpha.10', false],
    ['2.0.0-alpha.beta', '2.0.0-alpha.1', false],
  ])('at version %s, to stay until %s: warned of is %s', (version, removalNotBefore, isWarned) => {
    const before = deployed({ version, deprecated: true, removalNotBefore })
    const warnings = removalWarnings(before, gone)
    expect(warnings).toHaveLength(isWarned ? 1 : 0)
    for (const warning of warnings) expect(warning).toMatch(new RegExp(`${version}.*${removalNotBefore}`))
  })
})
