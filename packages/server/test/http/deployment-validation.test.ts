import { expect, onTestFinished, test } from 'vitest'
import { faultsIn } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { capability, startService } from '../support/service.ts'
import { withField } from './body-routes.ts'

/** Names that are refused, with the name that the refusal must offer; null where nothing of it can be kept. */
const BAD_NAMES = [
  ['order.status', 'order-status'],
  ['order_status', 'order-status'],
  ['order status', 'order-status'],
  ['order/status', 'order-status'],
  ['Größe', 'Gro-e'],
  ['café', 'cafe'],
  ['1st-order', 'st-order'],
  ['-order', 'order'],
  ['order!', 'order'],
  ['a'.repeat(65), 'a'.repeat(64)],
  ['order\n', 'order'],
  ['', null],
  ['42', null],
  ['注文', null],
  ['...', null],
] as const

const MANIFEST = {
  schemaVersion: 2,
  capabilities: [capability('echo'), capability('order')],
  website: { name: 'Shop', url: 'https://shop.example.com' },
  adp: { namespace: 'com.example.shop' },
  endUsers: { issuer: 'https://login.example.com', scopes: ['orders:read'] },
}

/** Fields of a manifest with values that they must refuse, and something that the refusal must say. */
const BAD_FIELDS: readonly (readonly [path: string, said: string, values: readonly unknown[]])[] = [
  ['schemaVersion', 'must be 2', [0, 1, 3, 2.5, -2]],
  [
    'capabilities.1.version',
    '',
    ['', '1', '1.0', 'v1.0.0', '1.0.0.0', '01.0.0', '1.0.0-', 'latest', ' 1.0.0', '1.0.0\n'],
  ],
  ['capabilities.1.actions', 'one action', [[{ name: 'a' }, { name: 'b' }], Array(50).fill({ name: 'a' })]],
  ['capabilities.1.deprecatedSince', '', ['1', 'soon']],
  ['capabilities.1.removalNotBefore', '', ['1', '2027-01-01']],
  ['capabilities.1.description', '', ['a'.repeat(8_193)]],
  ['website.name', '', ['', 'a'.repeat(201)]],
  [
    'website.url',
    'http',
    [
      '',
      'shop.example.com',
      '/shop',
      'ftp://shop.example.com',
      'javascript:alert(1)',
      'mailto:a@b.example',
      'data:text/html,x',
    ],
  ],
  [
    'adp.namespace',
    'namespace',
    [
      '',
      'shop',
      'com.',
      '.com',
      'com..shop',
      'com.1shop',
      'com.shop_eu',
      'com.example.shop ',
      'com.größe',
      `com.${'a'.repeat(65)}`,
    ],
  ],
  ['adp.id', '', ['']],
  [
    'endpoint',
    'https://',
    ['', 'http://shop.example.com/svc', 'ftp://shop.example.com', '/svc', 'http://localhost.example.com'],
  ],
  ['endUsers.issuer', 'https://', ['', 'http://login.example.com', 'login.example.com']],
  ['endUsers.issuer', 'query', ['https://login.example.com/?tenant=1']],
  ['endUsers.jwksUri', 'https://', ['http://login.example.com/jwks', 'data:application/json,{}']],
  ['endUsers.audience', '', ['', 'a'.repeat(2049)]],
  ['endUsers.scopes.0', 'one scope', ['orders read', 'orders"', 'größe']],
]

// Manifests are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'a manifest', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const runtime = await service.runtime(await service.owner())
    const deploy = (manifest: unknown) =>
      service.send('POST', '/v1/deployments', { key: runtime.deployKey, body: { manifest } })
    return { service, runtime, deploy }
  }

  // holds CAP-01, CAP-02, CAP-03
  test.each(BAD_NAMES)('with a capability named “%s” is refused, and a valid name offered', async (name, repaired) => {
    const { deploy } = await start()
    const faults = faultsIn(await deploy(withField(MANIFEST, 'capabilities.1.name', name)))
    expect(Object.keys(faults)).toEqual(['manifest.capabilities.1.name'])
    const [message] = faults['manifest.capabilities.1.name'] ?? []
    if (repaired === null) return expect(message).not.toContain('Try')
    expect(message).toContain(`Try “${repaired}”.`)
    expect((await deploy(withField(MANIFEST, 'capabilities.1.name', repaired))).statusCode).toBe(201)
  })

  // holds CAP-04
  test('with names that differ only by case is refused, and both are named', async () => {
    const { deploy } = await start()
    const capabilities = ['orderStatus', 'echo', 'OrderStatus', 'ECHO', 'echo'].map((name) => capability(name))
    const faults = faultsIn(await deploy({ ...MANIFEST, capabilities }))
    expect(faults).toEqual({
      'manifest.capabilities.2.name': [expect.stringMatching(/“OrderStatus” repeats “orderStatus”/)],
      'manifest.capabilities.3.name': [expect.stringMatching(/“ECHO” repeats “echo”/)],
      'manifest.capabilities.4.name': [expect.stringMatching(/“echo” repeats “echo”/)],
    })
  })

  // holds CAP-09, DEP-08, DEP-11, DEP-13, DEP-14
  test.each(BAD_FIELDS)('with a bad %s is refused, and the field named', async (path, said, values) => {
    const { deploy } = await start()
    for (const value of values) {
      const faults = faultsIn(await deploy(withField(MANIFEST, path, value)))
      expect([value, faults]).toEqual([value, { [`manifest.${path}`]: [expect.stringContaining(said)] }])
    }
  })

  // holds CAP-17
  test('with a deprecated capability but no version of the deprecation is refused, and the capability named', async () => {
    const { deploy } = await start()
    const faults = faultsIn(await deploy(withField(MANIFEST, 'capabilities.1.deprecated', true)))
    expect(faults).toEqual({ 'manifest.capabilities.1.deprecatedSince': [expect.stringContaining('“order”')] })
    const since = withField(
      withField(MANIFEST, 'capabilities.1.deprecated', true),
      'capabilities.1.deprecatedSince',
      '1.0.0',
    )
    expect((await deploy(since)).statusCode).toBe(201)
    expect((await deploy(withField(MANIFEST, 'capabilities.1.deprecated', false))).statusCode).toBe(201)
  })

  // holds DEP-16
  test('may hold 128 capabilities, but not 129', async () => {
    const { deploy } = await start()
    const many = Array.from({ length: 129 }, (_, index) => capability(`c${index}`))
    expect((await deploy({ ...MANIFEST, capabilities: many.slice(0, 128) })).statusCode).toBe(201)
    const faults = faultsIn(await deploy({ ...MANIFEST, capabilities: many }))
    expect(faults).toEqual({ 'manifest.capabilities': [expect.stringMatching(/129.*128/)] })
  })

  test.each([
    ['only what is required', { schemaVersion: 2, capabilities: [] }],
    [
      'a website at an address without a namespace',
      { ...MANIFEST, website: { name: 'Shop', url: 'https://3m.com' }, adp: undefined },
    ],
    ['a website at http', { ...MANIFEST, website: { name: 'Shop', url: 'http://shop.example.com' } }],
    ['a website without an address', { ...MANIFEST, website: { name: 'Shop' } }],
    ['an endpoint on this machine', { ...MANIFEST, endpoint: 'http://127.0.0.1:3000/svc' }],
    ['the owner’s own instructions', { ...MANIFEST, agent: { instructions: 'Be kind.' } }],
    ['versions with labels', withField(MANIFEST, 'capabilities.1.version', '1.0.0-rc.1+build.5')],
    ['metadata of any shape', { ...MANIFEST, metadata: { cliVersion: '1.0.0', anything: [{ goes: null }] } }],
  ])('with %s is accepted', async (_, manifest) => {
    const { deploy } = await start()
    expect((await deploy(manifest)).statusCode).toBe(201)
  })
})
