import { expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'
import { startForTest } from '../support/service.ts'

const OWN = 'must not be an address of this service: name a server of your own.'

// Endpoints are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'an endpoint on the service’s own address', (engine) => {
  const database = useDatabase(engine)

  // holds OUT-20
  test.each([
    ['https://svc.test', 'https://svc.test/v1/capabilities/rt_other/echo'],
    ['https://svc.test', 'https://SVC.test:443/'],
    ['https://svc.test', 'https://svc.test./v1/capabilities/rt_other/echo'],
    ['https://svc.test/plane/', 'https://svc.test/plane'],
    ['https://svc.test/plane', 'https://svc.test/shop/../plane/v1/capabilities/rt_other/echo'],
    ['http://127.0.0.1:8787', 'http://localhost:8787/v1/capabilities/rt_other/echo'],
    ['http://localhost:8787', 'http://[::1]:8787/'],
    ['http://localhost:8787', 'https://127.0.0.1:8787/'],
  ])('%s is refused at registration and at deploy: %s', async (baseUrl, endpoint) => {
    const service = await startForTest(database(), { baseUrl })
    const owner = await service.owner()
    const runtime = await service.runtime(owner)
    const { runtimeId } = runtime
    const register = (body: object) => service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })
    for (const body of [
      { name: 'Loop', endpoint },
      { name: 'Loop', runtimeId, endpoint },
    ]) {
      expect(faultsIn(await register(body))).toEqual({ endpoint: [OWN] })
    }
    expect(faultsIn(await service.deploy(runtime, { endpoint }))).toEqual({ 'manifest.endpoint': [OWN] })
    const issuer = faultsIn(await service.deploy(runtime, { endUsers: { issuer: endpoint } }))
    expect(issuer).toEqual({ 'manifest.endUsers.issuer': [OWN] })
    const detail = await service.send('GET', `/v1/runtimes/${runtimeId}`, { key: owner.apiKey })
    expect(detail.json()).toMatchObject({ endpoint: 'http://127.0.0.1:9/svc', deployment: null })
  })

  test.each([
    ['https://svc.test', 'https://svc.test:8443/svc'],
    ['https://svc.test', 'https://shop.svc.test/svc'],
    ['https://svc.test/plane', 'https://svc.test/planes/svc'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8788/svc'],
  ])('%s accepts an endpoint at another address: %s', async (baseUrl, endpoint) => {
    const service = await startForTest(database(), { baseUrl })
    const runtime = await service.runtime(await service.owner(), { endpoint })
    expect((await service.deploy(runtime, { endpoint })).statusCode).toBe(201)
  })
})

// Judged before or after the store is asked; execute.test.ts and broker.test.ts hold what is stored on both engines.
describeEngine('sqlite', 'a broker call with the id of an execution', (engine) => {
  const database = useDatabase(engine)
  const headers = { 'x-svc-execution-id': 'exec_1' }

  // holds BRK-15
  test('is refused before any look-up, charge or call, so that no runtime calls itself in a loop', async () => {
    const { service, endpoint, runtime, charged } = await setScene(database())
    const before = await charged()
    const answers = ['echo', 'nothing'].map((capability) =>
      service.send('POST', `/v1/capabilities/${runtime.runtimeId}/${capability}`, { body: { input: {} }, headers }),
    )
    const [known, unknown] = await Promise.all(answers)
    expect(known && refusalOf(known, 'forbidden')).toContain('x-svc-execution-id')
    expect(unknown?.body).toBe(known?.body)
    expect(endpoint.paths).toEqual([])
    expect(await charged()).toEqual(before)
  })

  test('is also refused if the endpoint is the broker under another name', async () => {
    const loop = { url: '' }
    const { service, owner, runtime, broker, charged } = await setScene(database())
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
    loop.url = `${address}/v1/capabilities/${runtime.runtimeId}/echo`
    const body = { name: 'Shop', runtimeId: runtime.runtimeId, endpoint: loop.url }
    expect((await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })).statusCode).toBe(200)
    const { executions } = await charged()
    expect((await broker('echo', { input: {} })).statusCode).toBe(502)
    expect((await charged()).executions).toBe(executions + 1)
  })
})

// The header is set before any store is asked.
describeEngine('sqlite', 'strict transport', (engine) => {
  const database = useDatabase(engine)

  // holds OPS-13
  test.each([
    ['https://svc.test', 'max-age=31536000'],
    ['http://svc.test', undefined],
  ])('of a service published at %s: %s', async (baseUrl, header) => {
    const service = await startForTest(database(), { baseUrl })
    for (const url of ['/health', '/v1/account', '/nothing']) {
      expect((await service.inject({ method: 'GET', url })).headers['strict-transport-security']).toBe(header)
    }
  })
})
