import type { DeploymentManifestInput } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { manifestFaults, Published } from '../support/ads-manifest.ts'
import { faultsIn } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { deployed } from '../support/scene.ts'
import { startService } from '../support/service.ts'

// Written from the deployment that is stored, which deployments.test.ts holds on both engines.
describeEngine('sqlite', 'the namespace of a discovery manifest', (engine) => {
  const database = useDatabase(engine)

  async function start(manifest: Partial<DeploymentManifestInput> | null = {}) {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const owner = await service.owner('pro')
    const runtime = await service.runtime(owner, { name: 'My runtime' })
    if (manifest) await deployed(service, runtime, manifest)
    const url = `/v1/runtime/${runtime.runtimeId}/manifest`
    const read = async (headers: Record<string, string> = {}) => service.send('GET', url, { headers })
    return { service, owner, runtime, url, read }
  }

  // holds PUB-07
  test('is missing without website and namespace, and the refusal says what to add', async () => {
    const { read } = await start({ website: undefined })
    const faults = faultsIn(await read())
    expect(faults['adp.namespace']).toEqual([expect.stringMatching(/website.*adp\.namespace/)])
  })

  // holds DSC-07
  test.each([
    ['https://shop.example.com/de?x=1', 'com.example.shop'],
    ['https://Shop.Example.COM:8443', 'com.example.shop'],
    ['http://a-b.example', 'example.a-b'],
    ['https://bücher.example', 'example.xn--bcher-kva'],
  ])('is the reversed host of the website %s by default', async (url, namespace) => {
    const { read } = await start({ website: { name: 'Shop', url } })
    const manifest = Published.parse((await read()).json())
    expect(manifest).toMatchObject({ id: namespace, capabilities: [{ name: `${namespace}.echo` }] })
    expect(manifestFaults(manifest)).toEqual([])
  })

  // holds DSC-08
  test.each([
    'https://203.0.113.7',
    'https://[2001:db8::1]',
    'http://localhost:3000',
    'https://3m.com',
    'https://example',
    'https://under_score.example',
  ])('is requested for the website %s, though the deployment is accepted', async (url) => {
    const { service, runtime, read } = await start(null)
    const website = { name: 'Shop', url }
    expect((await service.deploy(runtime, { website })).statusCode).toBe(201)
    expect(faultsIn(await read())['adp.namespace']).toEqual([expect.stringContaining('adp.namespace')])
    await deployed(service, runtime, { website, adp: { namespace: 'com.example.shop' } })
    expect(Published.parse((await read()).json()).id).toBe('com.example.shop')
  })

  // holds DSC-11
  test('is made of the runtime’s id if the website has no address', async () => {
    const { runtime, read } = await start({ website: { name: 'Shop' } })
    const manifest = Published.parse((await read()).json())
    const namespace = `svc.r${runtime.runtimeId.slice(3)}`
    expect(manifest).toMatchObject({ id: namespace, capabilities: [{ name: `${namespace}.echo` }] })
    expect(manifestFaults(manifest)).toEqual([])
  })

  // holds DSC-12
  test.each([
    ['https://shop.example.com', 'https://shop.example.com'],
    ['https://Shop.example.com/a?b=%20#c', 'https://Shop.example.com/a?b=%20#c'],
    ['https://me:pw@shop.example.com', 'https://shop.example.com/'],
  ])('the provider’s address %s is published as %s', async (url, published) => {
    const { read } = await start({ website: { name: 'Shop', url } })
    const manifest: unknown = (await read()).json()
    expect(manifest).toMatchObject({ provider: { url: published } })
    expect(manifestFaults(manifest)).toEqual([])
  })

  // holds DSC-02, DSC-03
  test('replaces a missing manifest id, and the runtime’s name a missing website name', async () => {
    const { read } = await start({ website: undefined, adp: { namespace: 'com.example.shop' } })
    const manifest: unknown = (await read()).json()
    expect(manifest).toMatchObject({ id: 'com.example.shop', name: 'My runtime', provider: { name: 'My runtime' } })
    expect(manifestFaults(manifest)).toEqual([])
  })
})
