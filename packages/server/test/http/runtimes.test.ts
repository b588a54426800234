import { randomUUID } from 'node:crypto'
import { abbreviateKey, type CreatedRuntime, RuntimeDetail, RuntimeList, RuntimeStatus } from '@svc/contract'
import { expect, test } from 'vitest'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { deployed, setScene } from '../support/scene.ts'
import { capability, startForTest, type TestOwner, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000

describeEngines('runtimes', (engine) => {
  const database = useDatabase(engine)

  const start = () => startForTest(database())

  test('an item of the list shows where a runtime stands, before and after its first deployment', async () => {
    const service = await start()
    const owner = await service.owner()
    const runtime = await service.runtime(owner, { name: 'Shop', version: '1.2.3', endpoint: 'https://a.example/svc' })
    const now = new Date(service.clock.now()).toISOString()
    const fresh = {
      runtimeId: runtime.runtimeId,
      name: 'Shop',
      version: '1.2.3',
      projectId: runtime.projectId,
      endpoint: 'https://a.example/svc',
      connection: { status: 'pending', transport: 'http' },
      health: 'healthy',
      deployment: null,
      capabilityCount: 0,
      createdAt: now,
      updatedAt: now,
    }
    expect(await list(service, owner)).toEqual({ runtimes: [fresh], nextCursor: null })
    service.clock.advance(1_000)
    await deployed(service, runtime, { capabilities: [capability('one'), capability('two')] })
    const later = new Date(service.clock.now()).toISOString()
    const serving = { ...fresh, deployment: { version: 1, deployedAt: later }, capabilityCount: 2, updatedAt: later }
    expect(await list(service, owner)).toEqual({ runtimes: [serving], nextCursor: null })
  })

  test('the detail holds the item and all that belongs to the runtime, and no whole key', async () => {
    const service = await start()
    const owner = await service.owner('pro')
    const runtime = await service.runtime(owner)
    const website = {
      name: 'Shop',
      description: 'Shoes.',
      url: 'https://shop.example.com',
      contact: 'hi@shop.example.com',
    }
    const adp = { namespace: 'com.example.shop', id: 'urn:shop' }
    await deployed(service, runtime, {
      website,
      adp,
      capabilities: [
        capability('echo'),
        { name: 'old', version: '2.1.0', requiresEndUser: true, deprecated: true, deprecatedSince: '2.0.0' },
      ],
    })
    const answer = await service.send('GET', `/v1/runtimes/${runtime.runtimeId}`, { key: owner.apiKey })
    const sent: unknown = answer.json()
    expect(RuntimeDetail.parse(sent)).toEqual(sent)
    const [item] = (await list(service, owner)).runtimes
    expect(sent).toEqual({
      ...item,
      tier: 'pro',
      capabilities: [
        {
          name: 'echo',
          version: '1.0.0',
          description: 'Does echo.',
          requiresEndUser: false,
          deprecated: false,
          hasInputSchema: true,
        },
        {
          name: 'old',
          version: '2.1.0',
          description: '',
          requiresEndUser: true,
          deprecated: true,
          hasInputSchema: false,
        },
      ],
      allowedOrigins: [],
      deployKeyPrefix: abbreviateKey(runtime.deployKey),
      publicKeyPrefix: abbreviateKey(runtime.publicKey),
      previousDeployKeyExpiresAt: null,
      previousPublicKeyExpiresAt: null,
      previousSecretExpiresAt: null,
      lastSeenAt: null,
      website,
      adp,
    })
    for (const secret of secretsOf(runtime)) expect(answer.body).not.toContain(secret)
  })

  test('before its first deployment a runtime’s detail has neither capabilities nor website nor namespace', async () => {
    const service = await start()
    const owner = await service.owner()
    const { runtimeId } = await service.runtime(owner)
    expect(await detail(service, owner, runtimeId)).toMatchObject({
      capabilities: [],
      website: null,
      adp: null,
      deployment: null,
    })
  })

  test('another owner’s runtime is answered as one that does not exist, on every route', async () => {
    const service = await start()
    const [holder, stranger] = [await service.owner(), await service.owner()]
    const { runtimeId } = await service.runtime(holder)
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]
    const ask = (id: string) => [
      service.send('GET', `/v1/runtimes/${id}`, { key: stranger.apiKey }),
      service.send('PUT', `/v1/runtimes/${id}/allowed-origins`, { key: stranger.apiKey, body: { origins: [] } }),
      service.send('POST', '/v1/executions', { key: stranger.apiKey, body: { runtimeId: id, messages } }),
    ]
    const foreign = await Promise.all(ask(runtimeId))
    const random = await Promise.all(ask(`rt_${randomUUID()}`))
    for (const [index, answer] of foreign.entries()) {
      expect(refusalOf(answer, 'not_found')).toBe('The runtime was not found.')
      const other = random[index]
      expect([answer.body, steadyHeaders(answer)]).toEqual([other?.body, other && steadyHeaders(other)])
    }
    expect((await list(service, stranger)).runtimes).toEqual([])
    expect(await detail(service, holder, runtimeId)).toMatchObject({ allowedOrigins: [] })
  })

  test.each(['status', 'heartbeat'] as const)(
    'a runtime is pending until its first %s, then online for five minutes',
    async (route) => {
      const service = await start()
      const owner = await service.owner()
      const runtime = await service.runtime(owner)
      const connection = async () => (await detail(service, owner, runtime.runtimeId)).connection.status
      expect(await connection()).toBe('pending')
      service.clock.advance(60 * MINUTE_MS)
      expect(await connection()).toBe('pending')
      await checkIn(service, runtime, route)
      expect((await detail(service, owner, runtime.runtimeId)).lastSeenAt).toBe(
        new Date(service.clock.now()).toISOString(),
      )
      for (const [pause, status] of [
        [0, 'online'],
        [5 * MINUTE_MS - 1, 'online'],
        [2, 'offline'],
        [60 * MINUTE_MS, 'offline'],
      ] as const) {
        service.clock.advance(pause)
        expect(await connection()).toBe(status)
        expect((await list(service, owner)).runtimes[0]?.connection.status).toBe(status)
      }
      await checkIn(service, runtime, route)
      expect(await connection()).toBe('online')
    },
  )

  test('a capability that answered is a sign of life, one that could not be reached is not', async () => {
    const { service, owner, runtime, endpoint, broker } = await setScene(database())
    endpoint.resetConnections(10)
    expect((await broker('echo')).statusCode).toBe(502)
    expect((await detail(service, owner, runtime.runtimeId)).connection.status).toBe('pending')
    endpoint.resetConnections(0)
    expect((await broker('echo')).statusCode).toBe(200)
    expect((await detail(service, owner, runtime.runtimeId)).connection.status).toBe('online')
  })

  test('an endpoint that fails shows in the health of list, detail and status, and so does its recovery', async () => {
    const { service, owner, runtime, endpoint, broker } = await setScene(database())
    const healths = async () => [
      (await list(service, owner)).runtimes[0]?.health,
      (await detail(service, owner, runtime.runtimeId)).health,
      RuntimeStatus.parse((await service.send('GET', '/v1/runtime/status', { key: runtime.deployKey })).json()).health,
    ]
    const every = (health: string) => [health, health, health]
    expect(await healths()).toEqual(every('healthy'))
    endpoint.script('echo', () => ({ fault: 'status', status: 503 }))
    await broker('echo')
    expect(await healths()).toEqual(every('degraded'))
    for (let calls = 1; calls < 10; calls += 1) await broker('echo')
    expect(await healths()).toEqual(every('unreachable'))
    endpoint.script('echo', () => ({ output: 'back' }))
    service.clock.advance(15 * MINUTE_MS)
    await service.renew()
    expect((await broker('echo')).statusCode).toBe(200)
    expect(await healths()).toEqual(every('healthy'))
  })
})

async function list(service: TestService, owner: TestOwner, query = ''): Promise<RuntimeList> {
  const answer = await service.send('GET', `/v1/runtimes${query}`, { key: owner.apiKey })
  const sent: unknown = answer.json()
  const page = RuntimeList.parse(sent)
  expect(sent).toEqual(page)
  return page
}

async function detail(service: TestService, owner: TestOwner, runtimeId: string): Promise<RuntimeDetail> {
  return RuntimeDetail.parse((await service.send('GET', `/v1/runtimes/${runtimeId}`, { key: owner.apiKey })).json())
}

async function checkIn(service: TestService, runtime: CreatedRuntime, route: 'status' | 'heartbeat'): Promise<void> {
  const method = route === 'status' ? 'GET' : 'POST'
  const answer = await service.send(method, `/v1/runtime/${route}`, { key: runtime.deployKey })
  expect(answer.statusCode).toBe(200)
  if (route === 'status') expect(RuntimeStatus.parse(answer.json()).connection.status).toBe('online')
}

function secretsOf({ deployKey, publicKey, secret }: CreatedRuntime): string[] {
  return [deployKey, publicKey, secret]
}
