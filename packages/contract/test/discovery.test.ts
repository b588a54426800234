import { readFileSync } from 'node:fs'
import { brokerAddress, buildDiscoveryManifest, DeploymentManifest, type DeploymentManifestInput } from '@svc/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const schema = JSON.parse(readFileSync(new URL('./ads-manifest-0.3.0.schema.json', import.meta.url), 'utf8'))
const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false }))
const isDiscoveryManifest = ajv.compile(schema)

function build(manifest: Partial<DeploymentManifestInput>) {
  return buildDiscoveryManifest({
    manifest: DeploymentManifest.parse({ schemaVersion: 2, capabilities: [], ...manifest }),
    runtimeId: 'rt_shop0001',
    runtimeName: 'Shop runtime',
    baseUrl: 'https://svc.example.com',
    deployedAt: '2026-01-02T03:04:05.678Z',
  })
}

function built(manifest: Partial<DeploymentManifestInput>) {
  const result = build(manifest)
  if (!result.ok) throw new Error(result.problem)
  return result.document
}

const website = { name: 'Shop', url: 'https://shop.example.com' }
const adp = { namespace: 'com.example.shop' }

describe('conformance', () => {
  const segment = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
  const version = fc.constantFrom('1.0.0', '0.1.0-rc.1', '2.3.4+build.7')
  const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
  const jsonObject = fc.dictionary(fc.string(), fc.jsonValue())
  const pageUrl = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https'] }),
    fc
      .tuple(
        fc.constantFrom('https://shop.example.com/', 'https://bücher.example:8443/', 'http://[::1]/'),
        fc.string({ unit: 'grapheme' }),
      )
      .map((parts) => parts.join('')),
  )
  const capability = fc
    .record({
      name: segment,
      version,
      description: fc.string(),
      requiresEndUser: fc.boolean(),
      actions: fc.array(fc.record({ name: segment, inputSchema: jsonObject, outputSchema: jsonObject }), {
        maxLength: 1,
      }),
      deprecatedSince: optional(version),
      removalNotBefore: optional(version),
    })
    .map((fields) => ({ ...fields, deprecated: fields.deprecatedSince !== undefined }))
  const manifest = fc.record({
    schemaVersion: fc.constant(2),
    capabilities: fc.uniqueArray(capability, { maxLength: 4, selector: ({ name }) => name.toLowerCase() }),
    endpoint: optional(fc.constant('https://hidden-endpoint.example/svc')),
    website: optional(
      fc.record({
        name: fc.string({ minLength: 1 }),
        description: optional(fc.string()),
        url: optional(pageUrl),
        contact: optional(fc.string()),
      }),
    ),
    adp: optional(
      fc.record({
        namespace: fc.array(segment, { minLength: 2, maxLength: 4 }).map((segments) => segments.join('.')),
        id: optional(fc.string({ minLength: 1 })),
      }),
    ),
  })

  // holds DSC-01
  test('whatever may be deployed gives a document that is valid by the specification’s own schema, or a reason', () => {
    let published = 0
    fc.assert(
      fc.property(manifest, fc.string({ minLength: 1 }), (fields, runtimeName) => {
        const parsed = DeploymentManifest.safeParse(fields)
        if (!parsed.success) return
        const result = buildDiscoveryManifest({
          manifest: parsed.data,
          runtimeId: 'rt_shop0001',
          runtimeName,
          baseUrl: 'https://svc.example.com/',
          deployedAt: '2026-01-02T03:04:05.678Z',
        })
        if (!result.ok) {
          expect(result.problem).toContain('adp.namespace')
          return
        }
        published += 1
        const document: unknown = JSON.parse(JSON.stringify(result.document))
        isDiscoveryManifest(document)
        expect(isDiscoveryManifest.errors ?? []).toEqual([])
        expect(result.document).toEqual(document)
        expect(JSON.stringify(document)).not.toContain('hidden-endpoint')
      }),
      { numRuns: 1000, seed: 1 },
    )
    expect(published).toBeGreaterThan(300)
  })
})

describe('what is published', () => {
  // holds CAP-06
  test('every capability under its full name, with the broker’s address and the credential that it needs', () => {
    const inputSchema = { type: 'object' }
    const document = built({
      adp,
      website,
      endpoint: 'https://secret-endpoint.example/svc',
      capabilities: [
        { name: 'search', version: '1.2.0', description: 'Finds things.', actions: [{ name: 'search', inputSchema }] },
        { name: 'my-orders', version: '1.0.0', requiresEndUser: true, deprecated: true, deprecatedSince: '1.0.0' },
      ],
    })
    expect(document).toEqual({
      specVersion: '0.3.0',
      id: 'com.example.shop',
      name: 'Shop',
      provider: { name: 'Shop', url: 'https://shop.example.com' },
      capabilities: [
        {
          name: 'com.example.shop.search',
          invocationName: 'search',
          version: '1.2.0',
          description: 'Finds things.',
          inputSchema,
          effect: 'write',
          endpoint: {
            transport: 'http',
            address: 'https://svc.example.com/v1/capabilities/rt_shop0001/search',
            auth: 'none',
          },
        },
        {
          name: 'com.example.shop.my-orders',
          invocationName: 'my-orders',
          version: '1.0.0',
          deprecated: true,
          deprecatedSince: '1.0.0',
          effect: 'write',
          endpoint: {
            transport: 'http',
            address: 'https://svc.example.com/v1/capabilities/rt_shop0001/my-orders',
            auth: 'custom:end-user-token',
          },
        },
      ],
      discovery: { cacheTtlSeconds: 300 },
      lastUpdated: '2026-01-02T03:04:05.678Z',
    })
  })

  // holds DSC-02
  test('adp.id is the identity where it is given, and the runtime’s name stands in for a website', () => {
    expect(built({ adp: { ...adp, id: 'urn:shop' } })).toMatchObject({ id: 'urn:shop', name: 'Shop runtime' })
    expect(built({ adp })).toMatchObject({ id: 'com.example.shop', provider: { name: 'Shop runtime' } })
  })

  // holds CFG-06, DSC-03
  test('description and contact are the website’s', () => {
    const document = built({ adp, website: { ...website, description: 'A shop.', contact: 'help@example.com' } })
    expect(document).toMatchObject({ description: 'A shop.', provider: { contact: 'help@example.com' } })
  })

  test.each([
    ['https://shop.example.com/über uns', 'https://shop.example.com/%C3%BCber%20uns'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://shop.example.com/?q=[a]|{b}&r=100%', 'https://shop.example.com/?q=%5Ba%5D%7C%7Bb%7D&r=100%25'],
    ['https://shop.example.com/#a#b', 'https://shop.example.com/#a%23b'],
    ['https://ada:secret@shop.example.com/x', 'https://shop.example.com/x'],
    ['https://shop.example.com/a%20b?x=1#y', 'https://shop.example.com/a%20b?x=1#y'],
  ])('the website %s is published as the URI %s', (url, uri) => {
    expect(built({ adp, website: { name: 'Shop', url } }).provider.url).toBe(uri)
  })

  // holds DSC-10
  test.each(['https://svc.example.com', 'https://svc.example.com/', 'https://svc.example.com//'])(
    'the base address %s gives broker addresses with one slash',
    (baseUrl) => {
      expect(brokerAddress(baseUrl, 'rt_a', 'echo')).toBe('https://svc.example.com/v1/capabilities/rt_a/echo')
    },
  )
})

describe('the namespace that follows from the website', () => {
  test.each([
    ['https://shop.example.com', 'com.example.shop'],
    ['https://example.com/about', 'com.example'],
    ['http://Shop.Example.CO.UK:8080', 'uk.co.example.shop'],
    ['https://bücher.example', 'example.xn--bcher-kva'],
    ['https://www.my-shop.example', 'example.my-shop.www'],
  ])('%s gives %s', (url, namespace) => {
    expect(built({ website: { name: 'Shop', url } }).id).toBe(namespace)
  })

  test.each([
    'https://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:3000',
    'https://93.184.216.34',
    'https://3m.com',
    'https://shop.7eleven.com',
    'https://my_shop.example.com',
    'https://shop.example.com.',
    'https://1.example.com',
  ])('%s gives none, and the problem asks for adp.namespace and names the address', (url) => {
    const result = build({ website: { name: 'Shop', url } })
    expect(result).toMatchObject({ ok: false, problem: expect.stringContaining('set adp.namespace') })
    expect(result).toMatchObject({ problem: expect.stringContaining(url) })
    expect(build({ website: { name: 'Shop', url }, adp }).ok).toBe(true)
  })

  test('a website without an address gives that of the runtime’s id', () => {
    expect(build({ website: { name: 'Shop' } })).toMatchObject({
      ok: true,
      document: { id: expect.stringMatching(/^svc\.r[A-Za-z0-9]+$/) },
    })
  })

  test('without website and namespace there is nothing to publish', () => {
    expect(build({})).toMatchObject({
      ok: false,
      problem: expect.stringContaining('neither a website block nor adp.namespace'),
    })
  })
})
