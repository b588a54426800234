import type { DeploymentManifestInput } from '@svc/contract'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { manifestFaults, Published } from '../support/ads-manifest.ts'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { deployed, setScene } from '../support/scene.ts'
import { capability, startService } from '../support/service.ts'

const BASE_URL = 'https://svc.test'

// Written from the deployment that is stored, which deployments.test.ts holds on both engines.
describeEngine('sqlite', 'the discovery manifest', (engine) => {
  const database = useDatabase(engine)

  async function start(manifest: Partial<DeploymentManifestInput> | null = {}) {
    const service = await startService(database(), { limits: { deploymentsPerHour: 1_000 } })
    onTestFinished(() => service.close())
    const owner = await service.owner('pro')
    const runtime = await service.runtime(owner, { name: 'My runtime', endpoint: 'https://private.example.net/svc' })
    if (manifest) await deployed(service, runtime, manifest)
    const url = `/v1/runtime/${runtime.runtimeId}/manifest`
    const read = async (headers: Record<string, string> = {}) => service.send('GET', url, { headers })
    return { service, owner, runtime, url, read }
  }

  // holds CAP-16, DSC-04, DSC-05, DSC-06, DSC-09, DSC-10
  test('is the specification’s document of what is deployed', async () => {
    const action = { name: 'x', inputSchema: { type: 'object' }, outputSchema: { type: 'string' } }
    const { read, runtime, service } = await start({
      website: {
        name: 'Shop',
        description: 'Shoes.',
        url: 'https://shop.example.com/shop',
        contact: 'hi@shop.example.com',
      },
      adp: { namespace: 'com.example.shop', id: 'urn:shop' },
      capabilities: [
        {
          name: 'orderStatus',
          version: '1.2.3',
          description: 'Where is it?',
          actions: [action],
          requiresEndUser: true,
          effect: 'read',
        },
        { name: 'old', version: '1.0.0', deprecated: true, deprecatedSince: '0.9.0', removalNotBefore: '2.0.0' },
        { name: 'refund', version: '1.0.0', effect: 'destructive', confirm: true },
      ],
    })
    const answer = await read()
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const manifest: unknown = answer.json()
    expect(manifestFaults(manifest)).toEqual([])
    const address = `${BASE_URL}/v1/capabilities/${runtime.runtimeId}`
    expect(manifest).toEqual({
      specVersion: '0.3.0',
      id: 'urn:shop',
      name: 'Shop',
      description: 'Shoes.',
      provider: { name: 'Shop', url: 'https://shop.example.com/shop', contact: 'hi@shop.example.com' },
      capabilities: [
        {
          name: 'com.example.shop.orderStatus',
          invocationName: 'orderStatus',
          version: '1.2.3',
          description: 'Where is it?',
          inputSchema: action.inputSchema,
          outputSchema: action.outputSchema,
          effect: 'read',
          endpoint: { transport: 'http', address: `${address}/orderStatus`, auth: 'custom:end-user-token' },
        },
        {
          name: 'com.example.shop.old',
          invocationName: 'old',
          version: '1.0.0',
          deprecated: true,
          deprecatedSince: '0.9.0',
          removalNotBefore: '2.0.0',
          effect: 'write',
          endpoint: { transport: 'http', address: `${address}/old`, auth: 'none' },
        },
      ],
      discovery: { cacheTtlSeconds: 300 },
      lastUpdated: new Date(service.clock.now()).toISOString(),
    })
  })

  // holds DSC-01
  test('conforms to the specification for every accepted deployment', async () => {
    const { service, runtime, read } = await start(null)
    const segment = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/)
    const version = fc.constantFrom('0.0.1', '1.2.3', '1.0.0-rc.1+5')
    const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    const manifests = fc.record(
      {
        adp: fc.record(
          { namespace: fc.tuple(segment, segment).map((parts) => parts.join('.')), id: words },
          { requiredKeys: ['namespace'] },
        ),
        website: fc.record(
          { name: words, description: words, contact: words, url: fc.webUrl() },
          { requiredKeys: ['name'] },
        ),
        capabilities: fc.uniqueArray(
          fc.record(
            {
              name: segment,
              version,
              description: words,
              requiresEndUser: fc.boolean(),
              deprecated: fc.boolean(),
              deprecatedSince: version,
              removalNotBefore: version,
            },
            { requiredKeys: ['name', 'version', 'deprecatedSince'] },
          ),
          { maxLength: 5, selector: ({ name }) => name.toLowerCase() },
        ),
      },
      { requiredKeys: ['capabilities', 'adp'] },
    )
    let accepted = 0
    const check = async (manifest: Partial<DeploymentManifestInput>) => {
      const answer = await service.deploy(runtime, { website: undefined, ...manifest })
      if (answer.statusCode !== 201) return
      accepted += 1
      expect(manifestFaults((await read()).json())).toEqual([])
    }
    await fc.assert(fc.asyncProperty(manifests, check), { seed: 20_260_301, numRuns: 60 })
    expect(accepted).toBeGreaterThan(40)
  })

  // holds DSC-06, SVC-08
  test('publishes one working address for each capability, and no other', async () => {
    const { service, runtime, endpoint } = await setScene(database(), {
      tier: 'pro',
      handle: { 'second-one': () => ({ output: 2 }), user: (call) => ({ output: call.endUserToken ?? null }) },
      manifest: {
        capabilities: [capability('echo'), capability('second-one'), capability('user', { requiresEndUser: true })],
      },
    })
    const { capabilities } = Published.parse(
      (await service.send('GET', `/v1/runtime/${runtime.runtimeId}/manifest`)).json(),
    )
    expect(capabilities).toHaveLength(3)
    for (const { endpoint: published, invocationName } of capabilities) {
      expect(published.address.startsWith(`${BASE_URL}/`)).toBe(true)
      const path = published.address.slice(BASE_URL.length)
      const plain = await service.send('POST', path, { body: { input: {} } })
      expect(plain.statusCode).toBe(published.auth === 'none' ? 200 : 401)
      const known = await service.send('POST', path, { body: { input: {}, endUserToken: 'user-1' } })
      expect(known.statusCode).toBe(200)
      expect(endpoint.effects.at(-1)?.capability).toBe(invocationName)
    }
  })

  // holds SVC-08
  test('never shows the owner’s endpoint, keys or instructions', async () => {
    const { read, runtime } = await start({
      endpoint: 'https://private.example.net/other',
      agent: { instructions: 'Be secretive.' },
      metadata: { cliVersion: '9.9.9' },
    })
    const { body, headers } = await read()
    for (const secret of [
      'private.example.net',
      'secretive',
      '9.9.9',
      runtime.secret,
      runtime.deployKey,
      runtime.publicKey,
    ]) {
      expect(body).not.toContain(secret)
      expect(JSON.stringify(headers)).not.toContain(secret)
    }
  })

  // holds PUB-04, SVC-09
  test('describes only the latest deployment', async () => {
    const { service, runtime, read } = await start({ capabilities: [capability('old')] })
    const first = await read()
    await deployed(service, runtime, { capabilities: [capability('new')] })
    const second = await read()
    expect(Published.parse(second.json()).capabilities.map(({ invocationName }) => invocationName)).toEqual(['new'])
    expect(second.headers['etag']).not.toBe(first.headers['etag'])
  })

  // holds PUB-05, PUB-08
  test('may be cached for 300 seconds by shared caches; other caches revalidate it', async () => {
    const { read, service, url } = await start()
    const { etag, 'cache-control': caching } = (await read()).headers
    expect(caching).toBe('public, max-age=0, s-maxage=300')
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{20,}"$/)
    for (const known of [`${etag}`, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, '*']) {
      const answer = await read({ 'if-none-match': known })
      expect([known, answer.statusCode, answer.payload]).toEqual([known, 304, ''])
      expect(answer.headers).toMatchObject({ etag, 'cache-control': caching })
    }
    for (const other of ['"other"', '', `${etag}`.slice(1, -1), 'W/"other"']) {
      expect((await read({ 'if-none-match': other })).statusCode).toBe(200)
    }
    const head = await service.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.headers['etag'], head.payload]).toEqual([200, etag, ''])
  })

  // holds PUB-06
  test('is the same uncached 404 for an unknown runtime and for one without a deployment', async () => {
    const { service, read } = await start(null)
    const without = await read()
    const unknown = await service.send('GET', '/v1/runtime/rt_nobody/manifest')
    refusalOf(without, 'not_found')
    expect([unknown.body, steadyHeaders(unknown)]).toEqual([without.body, steadyHeaders(without)])
    expect(without.headers['cache-control']).toBe('no-store')
  })

  // holds PUB-09
  test('may be read by pages of any origin', async () => {
    const { read, service } = await start()
    for (const origin of ['https://a.example', 'null', 'http://localhost:3000']) {
      expect((await read({ origin })).headers).toMatchObject({ 'access-control-allow-origin': '*' })
      const absent = await service.send('GET', '/v1/runtime/rt_nobody/manifest', { headers: { origin } })
      expect(absent.headers['access-control-allow-origin']).toBe('*')
    }
  })
})
