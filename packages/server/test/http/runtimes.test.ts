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

  // holds RT-05, RT-15
  test('a list item shows the state of a runtime, before and after its first deployment', async () => {
    const service = await start()
    const owner = await service.owner()
    const runtime = await service.runtime(owner, { name: 'Shop', version: '1.2.3', endpoint: 'https://a.example/svc' })
    const now = new Date(service.clock.now()).toISOString()
    // Nobody answers there, sooner or later.
    const health = expect.stringMatching(/^(unknown|degraded)$/)
    const fresh = {
      runtimeId: runtime.runtimeId,
      name: 'Shop',
      version: '1.2.3',
      projectId: runtime.projectId,
      endpoint: 'https://a.example/svc',
      connection: { status: 'pending', transport: 'http' },
      health,
      deployment: null,
      capabilityCount: 0,
      createdAt: now,
      updatedAt: now,
    }
    expect(await list(service, owner)).toEqual({ runtimes: [fresh], nextCursor: null })
    service.clock.advance(1_000)
    await deployed(service, runtime, { capabilities: [capability('one'), capability('two')] })
    const later = new Date(service.clock.now()).toISOString()
    const serving = {
      ...fresh,
      deployment: { version: 1, deployedAt: later },
      capabilityCount: 2,
      updatedAt: later,
    }
    expect(await list(service, owner)).toEqual({ runtimes: [serving], nextCursor: null })
  })

  // holds RT-14, RT-17, RT-18, RTR-02
  test('the detail holds the item and all data of the runtime, but no whole key', async () => {
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
      endUsers: null,
      healthNote: 'The last call or probe failed. The endpoint could not be reached. Is your server running?',
      tier: 'pro',
      capabilities: [
        {
          name: 'echo',
          version: '1.0.0',
          description: 'Does echo.',
          requiresEndUser: false,
          deprecated: false,
          hasInputSchema: true,
          effect: 'write',
          confirm: false,
        },
        {
          name: 'old',
          version: '2.1.0',
          description: '',
          requiresEndUser: true,
          deprecated: true,
          hasInputSchema: false,
          effect: 'write',
          confirm: false,
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

  // holds RT-17
  test('the detail before the first deployment has neither capabilities nor website nor namespace', async () => {
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

  // holds AUTH-07, RT-19
  test('another owner’s runtime is answered as one that does not exist, on every route', async () => {
    const service = await start()
    const [holder, otherOwner] = [await service.owner(), await service.owner()]
    const { runtimeId } = await service.runtime(holder)
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]
    const ask = (id: string) => [
      service.send('GET', `/v1/runtimes/${id}`, { key: otherOwner.apiKey }),
      service.send('PUT', `/v1/runtimes/${id}/allowed-origins`, { key: otherOwner.apiKey, body: { origins: [] } }),
      service.send('POST', '/v1/executions', { key: otherOwner.apiKey, body: { runtimeId: id, messages } }),
    ]
    const foreign = await Promise.all(ask(runtimeId))
    const random = await Promise.all(ask(`rt_${randomUUID()}`))
    for (const [index, answer] of foreign.entries()) {
      expect(refusalOf(answer, 'not_found')).toBe('The runtime was not found.')
      const other = random[index]
      expect([answer.body, steadyHeaders(answer)]).toEqual([other?.body, other && steadyHeaders(other)])
    }
    expect((await list(service, otherOwner)).runtimes).toEqual([])
    expect(await detail(service, holder, runtimeId)).toMatchObject({ allowedOrigins: [] })
  })

  // holds CON-04, CON-05
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

  // holds CON-04
  test('check-ins are stored every ten seconds, and a heartbeat returns the stored time', async () => {
    const service = await start()
    const owner = await service.owner()
    const runtime = await service.runtime(owner)
    const beat = async () => {
      const answer = await service.send('POST', '/v1/runtime/heartbeat', { key: runtime.deployKey })
      const { lastSeenAt } = await detail(service, owner, runtime.runtimeId)
      expect(answer.json()).toEqual({ status: 'ok', lastSeenAt })
      return Date.parse(lastSeenAt ?? '')
    }
    const first = await beat()
    service.clock.advance(9_999)
    await checkIn(service, runtime, 'status')
    expect(await beat()).toBe(first)
    service.clock.advance(1)
    expect(await beat()).toBe(first + 10_000)
    service.clock.advance(-60_000)
    expect(await beat()).toBe(first - 50_000)
  })

  // holds CON-05
  test('a successful call counts as a check-in, an unreachable endpoint does not', async () => {
    const { service, owner, runtime, endpoint, broker } = await setScene(database())
    endpoint.resetConnections(10)
    expect((await broker('echo')).statusCode).toBe(502)
    expect((await detail(service, owner, runtime.runtimeId)).connection.status).toBe('pending')
    endpoint.resetConnections(0)
    expect((await broker('echo')).statusCode).toBe(200)
    expect((await detail(service, owner, runtime.runtimeId)).connection.status).toBe('online')
  })

  // holds CON-09
  test('an endpoint that fails shows in the health of list, detail and status, and so does its recovery', async () => {
    const { service, owner, runtime, endpoint, broker } = await setScene(database())
    const healths = async () => [
      (await list(service, owner)).runtimes[0]?.health,
      (await detail(service, owner, runtime.runtimeId)).health,
      RuntimeStatus.parse((await service.send('GET', '/v1/runtime/status', { key: runtime.deployKey })).json()).health,
    ]
    const every = (health: string) => [health, health, health]
    await broker('echo')
    expect(await healths()).toEqual(every('healthy'))
    endpoint.script('echo', () => ({ fault: 'status', status: 503 }))
    await broker('echo')
    expect(await healths()).toEqual(every('degraded'))
    expect((await detail(service, owner, runtime.runtimeId)).healthNote).toBe(
      'The last call or probe failed. The endpoint answered with status 503.',
    )
    for (let calls = 1; calls < 3; calls += 1) await broker('echo')
    expect(await healths()).toEqual(every('unreachable'))
    endpoint.script('echo', () => ({ output: 'back' }))
    service.clock.advance(15 * MINUTE_MS)
    await service.renew()
    expect((await broker('echo')).statusCode).toBe(200)
    expect(await healths()).toEqual(every('healthy'))
    // A receiver that is not of the SDK does not know the probe; of a capability it is told that nobody serves it.
    service.clock.advance(MINUTE_MS)
    const note = async () => (await detail(service, owner, runtime.runtimeId)).healthNote
    endpoint.script('svc-probe', () => ({ fault: 'status', status: 404 }))
    expect(await note()).toBeNull()
    endpoint.script('echo', () => ({ fault: 'status', status: 404 }))
    await service.renew()
    expect((await broker('echo')).statusCode).toBe(502)
    const refused = /^The last call or probe was refused\. .+ it does not serve “echo”\.$/
    expect(await note()).toMatch(refused)
    service.clock.advance(MINUTE_MS)
    expect(await note()).toMatch(refused)
    expect(endpoint.effects.at(-1)?.capability).toBe('svc-probe')
  })

  // holds CON-14
  test.each(['status', 'detail'] as const)(
    'reading the %s probes a silent endpoint, every 30 s while it does not answer, and records nothing',
    async (view) => {
      const { service, owner, runtime, endpoint, broker, charged } = await setScene(database())
      const before = await charged()
      const look = async () => {
        if (view === 'detail') return (await detail(service, owner, runtime.runtimeId)).health
        const answer = await service.send('GET', '/v1/runtime/status', { key: runtime.deployKey })
        const { connection, health } = RuntimeStatus.parse(answer.json())
        expect(connection.status).toBe('online')
        return health
      }
      endpoint.script('svc-probe', () => ({ fault: 'status', status: 503 }))
      const healths: string[] = []
      for (let looks = 0; looks < 6; looks += 1) {
        healths.push(await look())
        service.clock.advance(15_000)
      }
      expect(healths).toEqual(['degraded', 'degraded', 'degraded', 'degraded', 'unreachable', 'unreachable'])
      expect(endpoint.effects.map((call) => [call.capability, call.input])).toEqual(Array(3).fill(['svc-probe', {}]))
      endpoint.script('svc-probe', () => ({ output: null }))
      expect(await look()).toBe('degraded')
      service.clock.advance(59_999)
      expect(await look()).toBe('degraded')
      expect(endpoint.effects).toHaveLength(4)
      expect(await charged()).toEqual(before)
      expect((await broker('svc-probe')).statusCode).toBe(404)
    },
  )

  // holds CON-15
  test('an answered probe counts as a check-in, and a heartbeat does not change the health', async () => {
    const { service, owner, runtime } = await setScene(database())
    expect(await detail(service, owner, runtime.runtimeId)).toMatchObject({
      connection: { status: 'online' },
      health: 'healthy',
    })
    const holder = await service.owner()
    const other = await service.runtime(holder, { endpoint: undefined })
    await checkIn(service, other, 'heartbeat')
    expect(await detail(service, holder, other.runtimeId)).toMatchObject({
      connection: { status: 'online' },
      health: 'unknown',
    })
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
