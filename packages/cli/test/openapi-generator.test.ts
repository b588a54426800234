import type { DeploymentManifestInput, GeneratorContext } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { openapiGenerator, openapiProblem } from '../src/generate/built-in/openapi-generator.ts'
import { generatorContext, RUNTIME_ID } from './support/generator-context.ts'
import { findings, writtenOpenApi } from './support/openapi.ts'

const ORDER = {
  type: 'object',
  properties: { id: { type: 'string', examples: ['A-1001'] }, speed: { enum: ['slow', 'fast'] } },
  required: ['id'],
}
const SHOP = {
  website: {
    name: 'Läden & “more”',
    description: 'Shoes.',
    url: 'https://lovelace:hunter2@shop.example.com/über uns',
    contact: 'help@shop.example.com',
  },
  endpoint: 'https://private.example.net/svc',
  agent: { instructions: 'Be secretive.' },
  capabilities: [
    {
      name: 'order-status',
      version: '1.2.0',
      description: 'Tells where an order is. Ask for its number first.',
      requiresEndUser: true,
      actions: [{ name: 'order-status', inputSchema: ORDER, outputSchema: { type: 'string', examples: ['sent'] } }],
    },
    {
      name: 'search',
      version: '1.0.0',
      description: 'Finds products',
      actions: [{ name: 'search', inputSchema: { type: 'object', properties: { limit: { type: 'integer' } } } }],
    },
    { name: 'old-search', version: '0.9.0', deprecated: true, deprecatedSince: '0.9.0', removalNotBefore: '2.0.0' },
  ],
} satisfies Partial<DeploymentManifestInput>

const pathOf = (name: string) => `/v1/capabilities/${RUNTIME_ID}/${name}`

describe('the document', () => {
  // holds GEN-09
  test('has one path for each capability of this runtime, at the control plane’s address, and no other', async () => {
    const { openapi, servers, paths } = await writtenOpenApi(
      generatorContext(SHOP, { baseUrl: 'https://svc.example.org' }),
    )
    expect(openapi).toBe('3.1.1')
    expect(servers.map(({ url }) => url)).toEqual(['https://svc.example.org'])
    expect(Object.keys(paths)).toEqual(['order-status', 'search', 'old-search'].map(pathOf))
    const operations = Object.values(paths).map(({ post }) => post)
    expect(operations.map(({ operationId }) => operationId)).toEqual(['order-status', 'search', 'old-search'])
  })

  test('leaves out what a person has to approve, which the broker does not know', async () => {
    const refund = { name: 'refund', version: '1.0.0', description: 'Pays money back.', confirm: true }
    const context = generatorContext({ ...SHOP, capabilities: [...SHOP.capabilities, refund] })
    const document = await writtenOpenApi(context)
    expect(Object.keys(document.paths)).toEqual(['order-status', 'search', 'old-search'].map(pathOf))
    expect(JSON.stringify(document)).not.toMatch(/refund|money/)
  })

  test('says what each capability does, for whom, and how long it stays', async () => {
    const { paths } = await writtenOpenApi(generatorContext(SHOP))
    expect(paths[pathOf('order-status')]?.post).toMatchObject({
      summary: 'Tells where an order is',
      description: 'Tells where an order is. Ask for its number first.\n\nVersion 1.2.0.',
      tags: ['For end users'],
      'x-capability-version': '1.2.0',
    })
    expect(paths[pathOf('search')]?.post).toMatchObject({ summary: 'Finds products', tags: ['Open'] })
    expect(paths[pathOf('search')]?.post).not.toHaveProperty('deprecated')
    expect(paths[pathOf('old-search')]?.post).toMatchObject({
      summary: 'old-search',
      deprecated: true,
      description: 'Deprecated since 0.9.0. It is not removed before 2.0.0.\n\nVersion 0.9.0.',
    })
  })

  test('asks for input where {} is none, and for a token where an end user is needed', async () => {
    const { paths } = await writtenOpenApi(generatorContext(SHOP))
    const bodies = Object.values(paths).map(({ post }) => {
      const { schema } = Object(post.requestBody.content['application/json'])
      return [post.operationId, post.requestBody.required, schema.required ?? [], Object.keys(post.responses)]
    })
    expect(bodies).toEqual([
      ['order-status', true, ['input', 'endUserToken'], ['200', '400', '401', '404', '429', '500', '502']],
      ['search', false, [], ['200', '400', '404', '429', '500', '502']],
      ['old-search', false, [], ['200', '400', '404', '429', '500', '502']],
    ])
  })

  test('sees what input must hold, and that it is an object, where the schema says so by reference or not at all', async () => {
    const version = '1.0.0'
    const inputSchema = { $ref: '#/$defs/order', $defs: { order: { required: ['id'] } } }
    const { paths } = await writtenOpenApi(
      generatorContext({ capabilities: [{ name: 'order', version, actions: [{ name: 'order', inputSchema }] }] }),
    )
    const { schema } = Object(paths[pathOf('order')]?.post.requestBody).content['application/json']
    expect(schema.required).toEqual(['input'])
    expect(schema.properties.input).toEqual({ type: 'object', $ref: '#/components/schemas/OrderInput' })
  })

  test('gives the examples that follow from the schemas, and none that does not fit', async () => {
    const wrong = { ...ORDER, examples: [{ id: 7 }], properties: { ...ORDER.properties, id: { type: 'string' } } }
    const [name, version] = ['order', '1.0.0']
    const { paths } = await writtenOpenApi(
      generatorContext({
        capabilities: [
          ...SHOP.capabilities,
          { name, version, actions: [{ name, inputSchema: wrong, outputSchema: { type: 'string', examples: [1] } }] },
          {
            name: 'whole',
            version,
            actions: [{ name, inputSchema: { ...ORDER, examples: [{ id: 'B-1' }, { id: 'B-2' }] } }],
          },
        ],
      }),
    )
    const examplesOf = (capability: string) => {
      const operation = paths[pathOf(capability)]?.post
      const media = [operation?.requestBody.content, Object(operation?.responses['200']).content]
      return media.map((content) => Object.values(Object(content?.['application/json'].examples)))
    }
    expect(examplesOf('order-status')).toEqual([
      [{ value: { input: { id: 'A-1001', speed: 'slow' }, endUserToken: expect.any(String) } }],
      [{ value: { executionId: expect.any(String), output: 'sent', durationMs: expect.any(Number) } }],
    ])
    expect(examplesOf('order')).toEqual([[], []])
    expect(examplesOf('whole')[0]).toEqual([{ value: { input: { id: 'B-1' } } }, { value: { input: { id: 'B-2' } } }])
  })

  test('is titled by the website, or by the runtime, or by its namespace', async () => {
    const infoOf = async (manifest: Partial<DeploymentManifestInput>, fields: Partial<GeneratorContext> = {}) =>
      (await writtenOpenApi(generatorContext(manifest, fields))).info
    expect(await infoOf(SHOP)).toMatchObject({
      title: 'Läden & “more”',
      description: 'Shoes.',
      contact: {
        name: 'Läden & “more”',
        url: 'https://shop.example.com/%C3%BCber%20uns',
        email: 'help@shop.example.com',
      },
    })
    expect(await infoOf({ adp: { namespace: 'a.b' } }, { runtimeName: 'My runtime' })).toMatchObject({
      title: 'My runtime',
    })
    expect(await infoOf({ adp: { namespace: 'a.b' } })).toMatchObject({ title: 'a.b' })
    expect(await infoOf({})).toEqual({ title: RUNTIME_ID, version: expect.any(String) })
    expect(await infoOf({ website: { name: 'Shop', contact: 'ask at the counter' } })).toMatchObject({
      contact: { name: 'Shop' },
    })
  })

  test('has another version whenever a capability has changed, and the same one otherwise', async () => {
    const versionOf = async (capabilities: DeploymentManifestInput['capabilities'], name = 'Shop') =>
      (await writtenOpenApi(generatorContext({ capabilities, website: { name } }))).info['version']
    const search = { name: 'search', version: '1.0.0' }
    const versions = [
      await versionOf([search]),
      await versionOf([{ ...search, description: 'Finds.' }]),
      await versionOf([{ ...search, version: '1.0.1' }]),
      await versionOf([search, { name: 'other', version: '1.0.0' }]),
    ]
    expect(new Set(versions).size).toBe(4)
    expect(versions[0]).toMatch(/^1\.0\.0\+[0-9a-f]{12}$/)
    expect(await versionOf([search], 'Renamed')).toBe(versions[0])
  })

  // holds GEN-09
  test('holds nothing of the owner’s: no endpoint, no instructions, no user name', async () => {
    const text = JSON.stringify(await writtenOpenApi(generatorContext(SHOP)))
    for (const secret of ['private.example.net', 'secretive', 'lovelace', 'hunter2']) expect(text).not.toContain(secret)
  })

  // holds GEN-09
  test('satisfies a linter to the last recommendation that an owner can follow', async () => {
    const found = await findings(
      await writtenOpenApi(generatorContext(SHOP, { baseUrl: 'https://svc.test' })),
      'recommended',
    )
    expect(found).toEqual(['info-license at #/info: Info object should contain `license` field.'])
    expect(await findings(await writtenOpenApi(generatorContext({})), 'spec')).toEqual([])
  })

  test('would not satisfy it with a reference that leads nowhere', async () => {
    const { components, ...document } = await writtenOpenApi(generatorContext(SHOP))
    const found = await findings({ ...document, components: { ...components, schemas: {} } }, 'spec')
    expect(found.join('\n')).toContain('no-unresolved-refs at #/paths')
  })
})

describe('schemas of one document', () => {
  const capability = (name: string, inputSchema: object) => ({
    name,
    version: '1.0.0',
    actions: [{ name, inputSchema: { ...inputSchema } }],
  })
  const namesOf = async (...capabilities: ReturnType<typeof capability>[]) => {
    const document = await writtenOpenApi(generatorContext({ capabilities }))
    expect(await findings(document, 'spec')).toEqual([])
    return Object.keys(document.components.schemas).filter((name) => /Input/i.test(name))
  }

  test('are named after the capability and what they were called', async () => {
    const inputSchema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/postal address' }, b: { $ref: 'https://x.example/schemas/price.schema.json' } },
      $defs: { 'postal address': {}, b: { $id: 'https://x.example/schemas/price.schema.json' } },
    }
    expect(await namesOf(capability('place-order', inputSchema))).toEqual([
      'PlaceOrderInput',
      'PlaceOrderInputPostalAddress',
      'PlaceOrderInputPrice',
    ])
  })

  test('never share a name, whatever the capabilities and their parts are called', async () => {
    const parts = (...names: string[]) => ({
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${encodeURIComponent(name)}` }])),
      $defs: Object.fromEntries(names.map((name) => [name, { title: name }])),
    })
    const names = await namesOf(
      capability('orderStatus', {}),
      capability('order-Status', {}),
      capability('a', parts('ü', 'ö', 'x y', 'x-y', 'X Y')),
      capability('aInput', parts('Input')),
    )
    expect(names).toHaveLength(10)
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(10)
  })

  // holds GEN-11
  test('that lead out of themselves are refused by name', async () => {
    const context = (reference: string) =>
      generatorContext({ capabilities: [capability('search', { properties: { a: { $ref: reference } } })] })
    for (const reference of [
      'https://other.example/schema.json',
      '#/$defs/none',
      '#nowhere',
      '#/properties/a/length',
      'http://json-schema.org/draft-07/schema#',
    ]) {
      await expect(writtenOpenApi(context(reference))).rejects.toThrow(
        `The input schema of “search” has a $ref that leads out of the schema (${reference}): inline what it refers to.`,
      )
    }
  })
})

// holds GEN-12
test('no document names addresses of a runtime that nobody has told yet, and the reason is said', async () => {
  const context = generatorContext(SHOP, { runtimeId: null })
  expect(await openapiGenerator.generate(context)).toEqual([])
  expect(openapiProblem(context)).toContain('SVC_RUNTIME_ID')
  expect(openapiProblem(generatorContext(SHOP))).toBeNull()
})

test('its inputs change with all that the file depends on, and with nothing else', () => {
  const inputsOf = (manifest: Partial<DeploymentManifestInput>, fields: Partial<GeneratorContext> = {}) =>
    JSON.stringify(openapiGenerator.inputs(generatorContext(manifest, fields)))
  const { website, capabilities } = SHOP
  const before = inputsOf({ website, capabilities })
  const others = [
    inputsOf({ website: { ...website, contact: 'x' }, capabilities }),
    inputsOf({ website, capabilities, adp: { namespace: 'a.b' } }),
    inputsOf({ website, capabilities: [] }),
    inputsOf({ website, capabilities }, { runtimeId: null }),
    inputsOf({ website, capabilities }, { runtimeId: 'rt_other' }),
    inputsOf({ website, capabilities }, { baseUrl: 'https://other.test' }),
    inputsOf({ website, capabilities }, { cliVersion: '9.9.9' }),
    inputsOf({ capabilities }),
    inputsOf({ capabilities }, { runtimeName: 'Shop' }),
  ]
  expect(new Set([before, ...others]).size).toBe(others.length + 1)
  expect(inputsOf({ ...SHOP, metadata: { cliVersion: '9.9.9' } }, { sdkVersion: '1.0.0' })).toBe(before)
  expect(inputsOf({ website, capabilities }, { runtimeName: 'Renamed' })).toBe(before)
})
