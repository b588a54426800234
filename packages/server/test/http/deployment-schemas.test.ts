import { expect, onTestFinished, test, vi } from 'vitest'
import { limited } from '../../src/errors.ts'
import type { Schemas } from '../../src/schemas/schemas.ts'
import { errorOf, faultsIn } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'
import { capability, startService } from '../support/service.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema'

const property = (schema: unknown) => ({ type: 'object', properties: { field: schema } })

function doubling(levels: number): Record<string, unknown> {
  const definitions = Array.from({ length: levels }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` }
    return [`d${at}`, { allOf: [next, next] }]
  })
  return {
    type: 'object',
    allOf: [{ $ref: '#/$defs/d0' }],
    $defs: { ...Object.fromEntries(definitions), [`d${levels}`]: {} },
  }
}

function counted(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, at) => ({ pattern: `^(a${at}|b)*[ab]{1,900}$` }))
}

/** Schemas that cannot be taken, with something that the refusal must say. */
const BAD_SCHEMAS: readonly (readonly [name: string, said: RegExp, schema: Record<string, unknown>])[] = [
  ['that is no JSON Schema', /not valid JSON Schema/, property({ type: 'objekt' })],
  ['with a keyword of the wrong type', /not valid JSON Schema/, property({ minLength: '3' })],
  ['with a wrong keyword deep inside', /not valid JSON Schema/, property({ items: property({ type: 7 }) })],
  [
    'of an unknown draft',
    /\$schema that is not supported/,
    { $schema: 'https://example.com/my-draft', type: 'object' },
  ],
  [
    'of draft-04',
    /\$schema that is not supported/,
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
  ],
  ['that refers to another host', /\$ref that leads out/, property({ $ref: 'https://evil.example/schema.json' })],
  ['that refers to a file', /\$ref that leads out/, property({ $ref: 'file:///etc/passwd' })],
  ['that refers to a path', /\$ref that leads out/, property({ $ref: 'other.json' })],
  ['that refers to what is not there', /\$ref that leads out/, property({ $ref: '#/$defs/missing' })],
  [
    'that refers to another host, as draft-07',
    /\$ref that leads out/,
    { $schema: DRAFT_07, ...property({ $ref: 'https://evil.example/x' }) },
  ],
  ['with a look-ahead', /linear time/, property({ pattern: '^(?=a)' })],
  ['with a look-behind', /linear time/, property({ pattern: '(?<=a)b' })],
  ['with a back-reference', /linear time/, property({ pattern: '(a)\\1' })],
  ['with a look-ahead in a property’s name', /linear time/, { type: 'object', patternProperties: { '^(?!x)': {} } }],
  ['with a pattern that is none', /linear time|JSON Schema/, property({ pattern: '(' })],
  ['that is asynchronous', /\$async/, { $async: true, type: 'object' }],
  ['that refers to itself without end', /without end|too long/, { type: 'object', allOf: [{ $ref: '#' }] }],
  ['whose references double with every level', /takes too long to check/, doubling(30)],
  ['with patterns of too many steps', /takes too long to check/, { type: 'object', allOf: counted(60) }],
  [
    'that refers to itself without end, in a circle',
    // Where the machine is busy, its time is over before the stack is.
    /without end|too long/,
    { type: 'object', $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
  ],
]

const GOOD_SCHEMAS: readonly (readonly [name: string, schema: Record<string, unknown>])[] = [
  ['that is empty', {}],
  ['without a type', { properties: { text: { type: 'string' } } }],
  ['of 2020-12 by name', { $schema: DRAFT_2020_12, type: 'object', properties: { text: { type: 'string' } } }],
  [
    'of draft-07 by name',
    {
      $schema: DRAFT_07,
      type: 'object',
      definitions: { t: { type: 'string' } },
      properties: { text: { $ref: '#/definitions/t' } },
    },
  ],
  [
    'that refers to itself',
    { type: 'object', properties: { text: {}, children: { type: 'array', items: { $ref: '#' } } } },
  ],
  [
    'with a name of its own',
    {
      $id: 'https://shop.example.com/schema',
      type: 'object',
      properties: { text: { $ref: '#/$defs/t' } },
      $defs: { t: {} },
    },
  ],
  [
    'with formats and keywords of others',
    { type: 'object', 'x-order': 1, properties: { text: { type: 'string', format: 'phone-number' } } },
  ],
  ['with a pattern', { type: 'object', properties: { text: { pattern: '^(a+)+$|[\\w.]+' } } }],
  [
    'with fields that are named like keywords',
    { type: 'object', properties: { $ref: { type: 'string' }, pattern: {}, text: {} } },
  ],
]

// Schemas are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'a capability’s schema', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const runtime = await service.runtime(await service.owner())
    return (...actions: object[]) => {
      const capabilities = actions.map((action, index) =>
        capability(`order-${index}`, { actions: [{ name: 'x', ...action }] }),
      )
      return service.deploy(runtime, { capabilities })
    }
  }

  // holds CAP-12
  test.each(BAD_SCHEMAS)('%s is refused as input and as output, and the capability named', async (_, said, schema) => {
    const deploy = await start()
    for (const field of ['inputSchema', 'outputSchema']) {
      const faults = faultsIn(await deploy({}, { [field]: schema }))
      expect(Object.keys(faults)).toEqual([`manifest.capabilities.1.actions.0.${field}`])
      const [message = ''] = Object.values(faults).flat()
      expect(message).toMatch(/^of “order-1” /)
      expect(message).toMatch(said)
      expect(message).not.toMatch(/node_modules|at \S+ \(/)
    }
  })

  // holds CAP-10
  test.each(GOOD_SCHEMAS)('%s is accepted and used to check input', async (_, inputSchema) => {
    const { service, runtime, broker } = await setScene(database(), { tier: 'pro' })
    const capabilities = [capability('echo', { actions: [{ name: 'echo', inputSchema, outputSchema: inputSchema }] })]
    expect((await service.deploy(runtime, { capabilities })).statusCode).toBe(201)
    expect((await broker('echo', { input: { text: 'aaa' } })).json()).toMatchObject({ output: { text: 'aaa' } })
  })

  // holds DEP-18
  test('every invalid schema is named, not only the first', async () => {
    const deploy = await start()
    const bad = property({ type: 'objekt' })
    const faults = faultsIn(await deploy({ inputSchema: bad, outputSchema: bad }, {}, { inputSchema: bad }))
    expect(Object.keys(faults)).toEqual([
      'manifest.capabilities.0.actions.0.inputSchema',
      'manifest.capabilities.0.actions.0.outputSchema',
      'manifest.capabilities.2.actions.0.inputSchema',
    ])
  })

  test.each(['string', 'array', 'null', ['object', 'null']])(
    'of type %s is refused as input, which is always an object, and accepted as output',
    async (type) => {
      const deploy = await start()
      const faults = faultsIn(await deploy({ inputSchema: { type } }))
      expect(faults['manifest.capabilities.0.actions.0.inputSchema']).toEqual([
        expect.stringContaining('must describe an object'),
      ])
      expect((await deploy({ outputSchema: { type } })).statusCode).toBe(201)
    },
  )

  // holds CAP-13
  test('may have 64 KiB and no more', async () => {
    const deploy = await start()
    const ofBytes = (bytes: number) => {
      const empty = JSON.stringify({ type: 'object', description: '' })
      return { type: 'object', description: 'ü'.repeat(10) + 'x'.repeat(bytes - empty.length - 20) }
    }
    expect(Buffer.byteLength(JSON.stringify(ofBytes(65_536)))).toBe(65_536)
    expect((await deploy({ inputSchema: ofBytes(65_536), outputSchema: ofBytes(65_536) })).statusCode).toBe(201)
    const faults = faultsIn(await deploy({ inputSchema: ofBytes(65_537) }))
    expect(Object.values(faults).flat()).toEqual([expect.stringMatching(/“order-0” has 65537 bytes, at most 65536/)])
  })

  test('one name may be used by two schemas of a deployment', async () => {
    const deploy = await start()
    const schema = { $id: 'https://shop.example.com/schema', type: 'object' }
    expect((await deploy({ inputSchema: schema, outputSchema: schema }, { inputSchema: schema })).statusCode).toBe(201)
  })

  test('with a circular reference deep inside never causes a server error', async () => {
    const { service, runtime, broker, charged } = await setScene(database(), { tier: 'pro' })
    const inputSchema = {
      type: 'object',
      properties: { text: { $ref: '#/$defs/a' } },
      $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } },
    }
    await service.deploy(runtime, { capabilities: [capability('echo', { actions: [{ name: 'echo', inputSchema }] })] })
    const before = await charged()
    expect(faultsIn(await broker('echo', { input: { text: 'x' } }))).toHaveProperty('input')
    expect(await charged()).toEqual(before)
    expect((await broker('echo', { input: {} })).statusCode).toBe(200)
  })

  test('that the schema thread could not check is refused with the capability’s name; with a full queue the answer is 429', async () => {
    const judge = vi.fn<Schemas['judge']>()
    const schemas: Schemas = { judge, checkOf: () => () => null, close: async () => {} }
    const service = await startService(database(), { schemas })
    onTestFinished(() => service.close())
    const owner = await service.owner()
    const runtime = await service.runtime(owner)
    const action = { name: 'x', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }
    const manifest = { capabilities: [capability('order', { actions: [action] })] }
    judge.mockResolvedValueOnce([null, 'takes too long to check.'])
    expect(faultsIn(await service.deploy(runtime, manifest))).toEqual({
      'manifest.capabilities.0.actions.0.outputSchema': ['of “order” takes too long to check.'],
    })
    expect(judge).toHaveBeenCalledWith(owner.ownerId, ['{"type":"object"}', '{"type":"array"}'])
    judge.mockRejectedValueOnce(limited('Too many schemas and inputs are being checked. Try again in a moment.', 2_000))
    const busy = await service.deploy(runtime, manifest)
    expect(busy.statusCode).toBe(429)
    expect(busy.headers['retry-after']).toBe('2')
    expect(errorOf(busy).code).toBe('rate_limit_exceeded')
    judge.mockResolvedValueOnce([null, null])
    expect((await service.deploy(runtime, manifest)).statusCode).toBe(201)
  })
})
