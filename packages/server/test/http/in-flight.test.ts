import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { refusalOf } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo, listenLocally, postText, sendRaw } from '../support/raw-http.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const SHARE = 'This account has as many executions under way as its share allows. Try again in a moment.'
const FULL = 'Too many executions are under way. Try again in a moment.'
const TOO_MUCH = 'Too much data is in flight. Try again in a moment.'
const TOO_MUCH_OF_ONE = 'This account has as much data in flight as its share allows. Try again in a moment.'

const conversation = (parts: number, content = 'x'.repeat(20)) => ({
  messages: [{ role: 'user', parts: Array.from({ length: parts }, () => ({ type: 'text', content })) }],
})

describeEngines('executions in flight', (engine) => {
  const database = useDatabase(engine)

  test('fill half of the limit for one account, and fifty concurrent ones of another account are admitted', async () => {
    const scene = await setScene(database(), { tier: 'enterprise', limits: { executions: 200 } })
    const { service, execute, executeAsOwner, broker, call, charged } = scene
    const gate = createGate()
    onTestFinished(gate.open)
    service.model.say(async function* () {
      await gate.enter()
      yield { type: 'end', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
    })
    const greedy = Array.from({ length: 150 }, () => execute())
    await gate.arrived(100)
    await eventually(() => expect(service.deps.inFlight.executions).toBe(100))
    const before = await charged()
    for (const ask of [execute, executeAsOwner, () => broker('echo'), () => call({ capability: 'echo', input: {} })]) {
      const refused = await ask()
      expect(refusalOf(refused, 'rate_limit_exceeded')).toBe(SHARE)
      expect(refused.headers['retry-after']).toBe('1')
    }
    expect(await charged()).toEqual(before)
    const other = await service.owner('enterprise')
    const runtime = await service.runtime(other)
    const calls = Array.from({ length: 50 }, () =>
      service.send('POST', '/v1/runtime/execute', { key: runtime.publicKey, body: saying() }),
    )
    await gate.arrived(150)
    gate.open()
    for (const answer of await Promise.all(calls)) expect(answer.statusCode).toBe(200)
    const statuses = (await Promise.all(greedy)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    expect([service.deps.inFlight.executions, service.deps.inFlight.accounts]).toEqual([0, 0])
  })

  test('with long conversations are bounded by their heap size, before parsing', async () => {
    const scene = await setScene(database(), { tier: 'enterprise', limits: { heldBytes: 2_500_000 } })
    const { service, execute, executeAsOwner, charged } = scene
    const gate = createGate()
    onTestFinished(gate.open)
    service.model.say(async function* () {
      await gate.enter()
      yield { type: 'end', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
    })
    const before = await charged()
    const first = execute(conversation(5_000))
    await gate.arrived(1)
    expect(service.deps.inFlight.bytes).toBeGreaterThan(1_000_000)
    expect(refusalOf(await execute(conversation(5_000)), 'rate_limit_exceeded')).toBe(TOO_MUCH_OF_ONE)
    expect(refusalOf(await executeAsOwner(conversation(5_000)), 'rate_limit_exceeded')).toBe(TOO_MUCH_OF_ONE)
    const other = await service.runtime(await service.owner('enterprise'))
    const body = saying()
    const small = service.send('POST', '/v1/runtime/execute', { key: other.publicKey, body })
    await gate.arrived(2)
    gate.open()
    expect((await small).statusCode).toBe(200)
    expect(executed(await first).status).toBe('completed')
    expect(service.deps.inFlight.bytes).toBe(0)
    expect((await charged()).executions).toBe(before.executions + 1)
  })
})

// What follows is the same on every engine.
describeEngine('sqlite', 'the load limits', (engine) => {
  const database = useDatabase(engine)

  test('refuse with the service’s own message if the account has nothing in flight', async () => {
    const { service, execute, owner } = await setScene(database(), { limits: { executions: 1 } })
    const scope = service.deps.running.begin('another', 60_000)
    onTestFinished(() => scope.end())
    expect(refusalOf(await execute(), 'rate_limit_exceeded')).toBe(FULL)
    expect((await service.send('GET', '/v1/executions', { key: owner.apiKey })).statusCode).toBe(200)
    scope.end()
    expect((await execute()).statusCode).toBe(200)
  })

  test('count a body at its announced size until its sender leaves', async () => {
    const logged: string[] = []
    const log = (line: string) => void logged.push(line)
    const { service, runtime } = await setScene(database(), { log, limits: { heldBytes: 2_000_000 } })
    const port = await listenLocally(service.app)
    const whole = postText('/v1/runtime/execute', conversation(4_000), { authorization: `Bearer ${runtime.publicKey}` })
    const socket = connectTo(port, whole.slice(0, 1_000))
    await eventually(() => expect(service.deps.inFlight.bytes).toBeGreaterThan(400_000))
    socket.destroy()
    await eventually(() => expect(service.deps.inFlight.bytes).toBe(0))
    // A caller that leaves is no fault of the service.
    expect(logged.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  test('refuse a body that takes too much memory before parsing, and close its connection', async () => {
    const { service, runtime } = await setScene(database(), { limits: { heldBytes: 100_000 } })
    const port = await listenLocally(service.app)
    const headers = { authorization: `Bearer ${runtime.publicKey}` }
    const answer = await sendRaw(port, postText('/v1/runtime/execute', conversation(1_000), headers))
    expect([answer.status, answer.headers.get('connection')]).toEqual([429, 'close'])
    expect(answer.body).toContain(TOO_MUCH)
    expect(service.deps.inFlight.accounts).toBe(0)
  })

  test.each([
    ['one IPv6 /48 are one network: others sign in', (at: number) => `2001:db8:7:${at.toString(16)}00::1`, 401],
    ['a /48 each share one account: an owner’s executes go on', (at: number) => `2001:db8:${at.toString(16)}::1`, 429],
  ])('count anonymous callers: 256 networks in %s', async (_name, networkAt, signedIn) => {
    const { service, execute } = await setScene(database(), { proxyHops: 1, limits: { heldBytes: 1_024_000 } })
    const port = await listenLocally(service.app)
    let answers = 0
    for (let at = 0; at < 256; at += 1) {
      const announced = { 'x-forwarded-for': networkAt(at), connection: 'close' }
      const whole = postText('/v1/auth/sign-in', { email: 'a@example.com', password: 'x'.repeat(7_961) }, announced)
      const socket = connectTo(port, whole.slice(0, -1))
      socket.once('data', () => (answers += 1))
    }
    await eventually(() => expect(answers + service.deps.inFlight.bytes / 32_000).toBe(256))
    expect(service.deps.inFlight.bytes).toBeLessThanOrEqual(512_000)
    expect((await execute()).statusCode).toBe(200)
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const body = { email: 'b@example.com', password: 'correct horse battery' }
    expect((await service.send('POST', '/v1/auth/sign-in', { headers, body })).statusCode).toBe(signedIn)
  })

  test.each(['sign-ins', 'broker calls'])(
    'leave room for %s while other kinds of requests fill their share',
    async (kept) => {
      const options = { tier: 'enterprise', proxyHops: 1, limits: { heldBytes: 1_024_000 } } as const
      const { service, runtime } = await setScene(database(), options)
      const port = await listenLocally(service.app)
      const requests = {
        'sign-ins': {
          path: '/v1/auth/sign-in',
          body: { email: 'a@example.com', password: 'x'.repeat(100) },
          status: 401,
        },
        'broker calls': { path: `/v1/capabilities/${runtime.runtimeId}/echo`, body: { input: {} }, status: 200 },
      }
      const { path } = kept === 'sign-ins' ? requests['broker calls'] : requests['sign-ins']
      let answers = 0
      for (let at = 0; at < 64; at += 1) {
        const headers = { 'x-forwarded-for': `2001:db8:${at.toString(16)}::1`, connection: 'close' }
        const whole = postText(path, { email: 'x'.repeat(7_988) }, headers)
        const socket = connectTo(port, whole.slice(0, -1))
        socket.once('data', () => (answers += 1))
      }
      await eventually(() => expect(answers + service.deps.inFlight.bytes / 32_000).toBe(64))
      expect(answers).toBeGreaterThan(30)
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      const asked = kept === 'sign-ins' ? requests['sign-ins'] : requests['broker calls']
      expect((await service.send('POST', path, { headers, body: { email: 'x'.repeat(7_988) } })).statusCode).toBe(429)
      expect((await service.send('POST', asked.path, { headers, body: asked.body })).statusCode).toBe(asked.status)
    },
  )

  test('count anonymous callers by network', async () => {
    const { service } = await setScene(database(), { limits: { heldBytes: 200_000 } })
    const port = await listenLocally(service.app)
    const whole = postText('/v1/auth/sign-in', { email: 'a@example.com', password: 'x'.repeat(7_900) })
    for (const socket of [1, 2].map(() => connectTo(port, whole.slice(0, 3_000)))) expect(socket.destroyed).toBe(false)
    await eventually(() => expect(service.deps.inFlight.bytes).toBeGreaterThan(60_000))
    const signIn = (remoteAddress: string) =>
      service.inject({
        method: 'POST',
        url: '/v1/auth/sign-in',
        payload: { email: 'b@example.com', password: 'correct horse battery' },
        remoteAddress,
      })
    expect(refusalOf(await signIn('127.0.0.1'), 'rate_limit_exceeded')).toBe(TOO_MUCH)
    expect((await signIn('203.0.113.7')).statusCode).toBe(401)
  })

  test('count a broker call as its caller’s until it was read, then as the owner’s', async () => {
    const gate = createGate()
    onTestFinished(gate.open)
    const handle = { echo: () => gate.enter().then(() => ({ output: null })) }
    const scene = await setScene(database(), { tier: 'enterprise', handle, limits: { heldBytes: 1_000_000 } })
    const { service, runtime, owner, execute, broker } = scene
    const port = await listenLocally(service.app)
    const path = `/v1/capabilities/${runtime.runtimeId}/echo`
    const whole = postText(path, { input: { text: 'x'.repeat(10_000) } }, { connection: 'close' })
    const sockets = Array.from({ length: 60 }, () => connectTo(port, whole.slice(0, -1)))
    let refused = 0
    for (const socket of sockets) socket.once('data', () => (refused += 1))
    const { inFlight } = service.deps
    await eventually(() => expect(refused + Math.floor(inFlight.bytes / 40_000)).toBe(60))
    expect(inFlight.bytes).toBeLessThan(300_000)
    expect((await execute()).statusCode).toBe(200)
    for (const socket of sockets) socket.destroy()
    await eventually(() => expect(inFlight.bytes).toBe(0))
    // As much as is free but for a little, so that one more call fills the share.
    inFlight.add(owner.ownerId, { bytes: 485_000 })
    const called = broker('echo', { input: { text: 'x'.repeat(10_000) } })
    await gate.arrived(1)
    expect(refusalOf(await execute(), 'rate_limit_exceeded')).toBe(TOO_MUCH_OF_ONE)
    inFlight.add(owner.ownerId, { bytes: -485_000 })
    gate.open()
    expect((await called).statusCode).toBe(200)
  })

  test.each([
    ['a trace', 'a deployment', TOO_MUCH_OF_ONE],
    ['a deployment', 'a trace', TOO_MUCH_OF_ONE],
    ['the serving deployment', 'a trace', TOO_MUCH_OF_ONE],
    ['a published manifest', 'a trace', TOO_MUCH],
  ])('count %s before it is read from the store', async (held, refused, message) => {
    // Each takes less than half of the bytes that there may be, and both together more than all.
    const gate = createGate()
    onTestFinished(gate.open)
    let isHolding = false
    const reading = new WeakSet<object>()
    const db = database().db.withPlugin({
      transformQuery({ node, queryId }) {
        const text = isHolding ? JSON.stringify(node) : ''
        const isManifest = text.includes('"deployments"') && text.includes('"selection":{"kind":"SelectAllNode"}')
        if (isManifest || text.includes('"modelSteps"')) reading.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (reading.has(queryId)) await gate.enter()
        return result
      },
    })
    const scene = await setScene({ ...database(), db }, { limits: { heldBytes: 800_000 } })
    const { service, runtime, owner, broker } = scene
    const described = (name: string) =>
      capability(name, { actions: [{ name, inputSchema: { description: 'x'.repeat(48_000) } }] })
    expect((await service.deploy(runtime, { capabilities: [described('echo'), described('b')] })).statusCode).toBe(201)
    const { executionId } = z
      .object({ executionId: z.string() })
      .parse((await broker('echo', { input: { text: 'x'.repeat(55_000) } })).json())
    const { apiKey: key } = owner
    const asks: Record<string, () => ReturnType<typeof broker>> = {
      'a trace': () => service.send('GET', `/v1/executions/${executionId}`, { key }),
      'a deployment': () => service.send('GET', `/v1/runtimes/${runtime.runtimeId}/deployments/2`, { key }),
      'the serving deployment': () => service.send('GET', '/v1/runtime/deployment', { key: runtime.deployKey }),
      'a published manifest': () => service.send('GET', `/v1/runtime/${runtime.runtimeId}/manifest`),
    }
    isHolding = true
    const first = asks[held]?.()
    await gate.arrived(1)
    isHolding = false
    const second = await asks[refused]?.()
    expect(second && refusalOf(second, 'rate_limit_exceeded')).toBe(message)
    gate.open()
    expect((await first)?.statusCode).toBe(200)
    expect(service.deps.inFlight.bytes).toBe(0)
  })

  test('count the call of a caller who left until it has ended', async () => {
    const gate = createGate()
    onTestFinished(gate.open)
    const handle = {
      echo: async () => {
        await gate.enter()
        return { output: 'x'.repeat(1_000) }
      },
    }
    const { service, runtime } = await setScene(database(), { handle })
    const port = await listenLocally(service.app)
    const body = { input: { text: 'x'.repeat(50_000) } }
    const socket = connectTo(port, postText(`/v1/capabilities/${runtime.runtimeId}/echo`, body))
    await gate.arrived(1)
    socket.destroy()
    await eventually(() => expect(service.deps.requests.size).toBe(0))
    expect(service.deps.inFlight.bytes).toBeGreaterThan(100_000)
    gate.open()
    await eventually(() => expect(service.deps.inFlight.accounts).toBe(0))
  })

  test('fail a call while an endpoint’s answer that takes too much arrives', async () => {
    const handle = { echo: () => ({ output: 'x'.repeat(60_000) }) }
    const { service, owner, broker } = await setScene(database(), { handle, limits: { heldBytes: 100_000 } })
    service.deps.inFlight.add(owner.ownerId, { bytes: 45_000 })
    const failed = await broker('echo')
    expect(failed.statusCode).toBe(502)
    const message =
      'The service has no room for the endpoint’s answer just now: whether the call had an effect is unknown.'
    expect(failed.json().error.message).toBe(message)
    expect(service.deps.inFlight.bytes).toBe(45_000)
  })

  test('let the answer to a call that was made through without room', async () => {
    const handle = { echo: () => ({ output: 'x'.repeat(60_000) }) }
    const { broker } = await setScene(database(), { handle, limits: { heldBytes: 121_000 } })
    expect((await broker('echo')).statusCode).toBe(200)
  })

  test('bound the bytes of cached runtimes', async () => {
    const { service, owner } = await setScene(database(), { tier: 'pro', limits: { cachedBytes: 30_000 } })
    const capabilities = [
      capability('echo', { actions: [{ name: 'echo', inputSchema: { description: 'x'.repeat(10_000) } }] }),
    ]
    for (let count = 0; count < 5; count += 1) {
      const runtime = await service.runtime(owner)
      expect((await service.deploy(runtime, { capabilities })).statusCode).toBe(201)
      const { statusCode } = await service.send('POST', '/v1/runtime/execute', {
        key: runtime.publicKey,
        body: saying(),
      })
      expect(statusCode).toBe(200)
    }
    const { runtimes, deployments } = service.deps.serving
    for (const { weight } of [runtimes, deployments]) expect([weight > 20_000, weight <= 30_000]).toEqual([true, true])
  })

  test('count a large answer until it is read, and refuse another to the same account', async () => {
    const { service, owner, runtime } = await setScene(database(), { limits: { heldBytes: 600_000 } })
    const capabilities = Array.from({ length: 60 }, (_, at) => capability(`c${at}`, { description: 'x'.repeat(400) }))
    expect((await service.deploy(runtime, { capabilities })).statusCode).toBe(201)
    const get = () => service.send('GET', `/v1/runtimes/${runtime.runtimeId}`, { key: owner.apiKey })
    expect((await get()).statusCode).toBe(200)
    service.deps.inFlight.add(owner.ownerId, { bytes: 300_000 })
    expect(refusalOf(await get(), 'rate_limit_exceeded')).toBe(TOO_MUCH_OF_ONE)
  })
})

describeEngine('sqlite', 'a service with a late event loop', (engine) => {
  const database = useDatabase(engine)

  async function lateScene() {
    const metrics = createPrometheusMetrics()
    const scene = await setScene(database(), { metrics, loopDelay: { delayMs: 51 } })
    const few = Array.from({ length: 63 }, () => scene.service.deps.running.begin(scene.owner.ownerId, 60_000))
    onTestFinished(() => {
      for (const scope of few) scope.end()
    })
    const oneMore = () => scene.service.deps.running.begin(scene.owner.ownerId, 60_000)
    return { ...scene, metrics, oneMore }
  }

  test('refuses new executions of an account that has many, and charges nothing', async () => {
    const { execute, executeAsOwner, broker, charged, oneMore, metrics } = await lateScene()
    expect((await execute()).statusCode).toBe(200)
    const before = await charged()
    const one = oneMore()
    onTestFinished(() => one.end())
    for (const ask of [execute, executeAsOwner, () => broker('echo')]) {
      const refused = await ask()
      expect(refusalOf(refused, 'rate_limit_exceeded')).toBe('The service is busy. Try again in a moment.')
      expect(refused.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' })
    }
    expect(await charged()).toEqual(before)
    expect(await metrics.text()).toContain('svc_overload_refusals_total{reason="event_loop"} 3')
  })

  test('lets pages read the refusal: chat pages by their origin, broker callers from any', async () => {
    const { execute, broker, oneMore } = await lateScene()
    const one = oneMore()
    onTestFinished(() => one.end())
    const headers = { origin: 'https://shop.example.com' }
    expect((await execute(undefined, { headers })).headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example.com',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
    })
    expect((await broker('echo')).headers['access-control-allow-origin']).toBe('*')
  })

  test('lets another account begin', async () => {
    const { service, oneMore } = await lateScene()
    const one = oneMore()
    onTestFinished(() => one.end())
    const other = await service.runtime(await service.owner())
    const answer = await service.send('POST', '/v1/runtime/execute', { key: other.publicKey, body: saying() })
    expect(answer.statusCode).toBe(200)
  })

  test('still serves health, check-ins, deployments and the owner plane', async () => {
    const { service, owner, runtime, oneMore } = await lateScene()
    const one = oneMore()
    onTestFinished(() => one.end())
    const statuses = [
      await service.send('GET', '/health'),
      await service.send('GET', '/v1/executions', { key: owner.apiKey }),
      await service.send('POST', '/v1/runtime/heartbeat', { key: runtime.deployKey }),
      await service.deploy(runtime),
    ].map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([200, 200, 200, 201])
  })

  test('refuses an execution whose body arrived after others had begun', async () => {
    const { service, runtime, oneMore } = await lateScene()
    const port = await listenLocally(service.app)
    const headers = { authorization: `Bearer ${runtime.publicKey}`, connection: 'close' }
    const whole = postText('/v1/runtime/execute', saying(), headers)
    const socket = connectTo(port, whole.slice(0, -1))
    await eventually(() => expect(service.deps.inFlight.bytes).toBeGreaterThan(0))
    const one = oneMore()
    onTestFinished(() => one.end())
    socket.write(whole.slice(-1))
    expect(await text(socket)).toMatch(/^HTTP\/1.1 429 /)
  })
})
