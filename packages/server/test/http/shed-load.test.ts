import { text } from 'node:stream/consumers'
import { ErrorBody } from '@svc/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { HeldRequest } from '../../src/load/held-request.ts'
import type { LoadGate } from '../../src/load/load-gate.ts'
import type { LoadKind } from '../../src/load/shedding-rules.ts'
import { createPrometheusMetrics } from '../../src/metrics/prometheus-metrics.ts'
import { createTestClock } from '../support/clock.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { connectTo, listenLocally, postText } from '../support/raw-http.ts'
import { executed, saying, setScene } from '../support/scene.ts'

/** The next request that is taken, and the end of it. */
function watchNext(load: LoadGate) {
  const taken = deferred()
  const ended = deferred()
  const enter = load.enter
  const spy = vi.spyOn(load, 'enter').mockImplementationOnce((kind) => {
    const held = enter(kind)
    if (typeof held === 'string') return held
    taken.resolve()
    const end: HeldRequest['end'] = () => {
      held.end()
      ended.resolve()
    }
    return { ...held, end }
  })
  onTestFinished(() => spy.mockRestore())
  return { taken: taken.promise, ended: ended.promise }
}

describeEngine('sqlite', 'a service with more to do than it can hold', (engine) => {
  const database = useDatabase(engine)

  /** A service of which others hold as much as may be held. */
  async function fullScene({ heldRequests = 8, share = 1, upkeepShare = 0.25 } = {}) {
    const lines: string[] = []
    const metrics = createPrometheusMetrics()
    const log = (line: string) => void lines.push(line)
    const scene = await setScene(database(), { limits: { heldRequests }, log, metrics })
    const enter = (kind: LoadKind, count: number) =>
      Array.from({ length: count }, () => scene.service.deps.load.enter(kind))
    const others = [...enter('execute', heldRequests * share), ...enter('upkeep', heldRequests * upkeepShare)]
    const leave = () => {
      for (const other of others) if (typeof other !== 'string') other.leave()
    }
    onTestFinished(leave)
    lines.length = 0
    return { ...scene, lines, leave, metrics }
  }

  test('refuses with 429 in the one envelope, says when to come back, and charges nothing', async () => {
    const { service, owner, execute, broker, charged, leave } = await fullScene()
    const before = await charged()
    const answers = [
      await execute(),
      await broker('echo'),
      await service.send('GET', '/v1/executions', { key: owner.apiKey }),
      await service.send('POST', '/v1/runtime/heartbeat'),
      await service.send('GET', '/v1/nowhere'),
      await service.send('POST', '/v1/auth/sign-in', { body: {} }),
    ]
    for (const answer of answers) {
      expect(answer.statusCode).toBe(429)
      expect(ErrorBody.parse(answer.json()).error.code).toBe('rate_limit_exceeded')
      expect(answer.headers).toMatchObject({
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
    }
    expect(await charged()).toEqual(before)
    leave()
    expect(executed(await execute())).toMatchObject({ status: 'completed' })
  })

  test('answers health, whatever it holds', async () => {
    const { service } = await fullScene()
    expect((await service.send('GET', '/health')).statusCode).toBe(200)
    expect((await service.send('GET', '/')).statusCode).toBe(200)
  })

  test('refuses lists before strangers, strangers before executes, and upkeep for itself', async () => {
    const scene = await fullScene({ heldRequests: 10, share: 0.9, upkeepShare: 0 })
    const { service, owner, runtime, execute, broker } = scene
    const statuses = [
      (await service.send('GET', '/v1/executions', { key: owner.apiKey })).statusCode,
      (await broker('echo')).statusCode,
      (await execute()).statusCode,
      (await service.send('POST', '/v1/runtime/heartbeat', { key: runtime.deployKey })).statusCode,
    ]
    expect(statuses).toEqual([429, 429, 200, 200])
  })

  test('holds executes beside a flood of check-ins, and check-ins beside one of executes', async () => {
    const flooded = await fullScene({ share: 0 })
    expect((await flooded.execute()).statusCode).toBe(200)
    expect((await flooded.service.send('POST', '/v1/runtime/heartbeat')).statusCode).toBe(429)
    const crowded = await fullScene({ upkeepShare: 0 })
    const { deployKey: key } = crowded.runtime
    expect((await crowded.service.send('POST', '/v1/runtime/heartbeat', { key })).statusCode).toBe(200)
  })

  test('counts a path that it cannot read as the kind that is refused first, and lets any page read that', async () => {
    const { service, runtime } = await fullScene({ heldRequests: 10, share: 0.9 })
    const path = `/v1/%63apabilities/${runtime.runtimeId}/echo`
    const refused = await service.send('POST', path, { body: {}, headers: { origin: 'https://shop.example.com' } })
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([429, '*'])
  })

  test('lets pages read the refusal: those of the chat by their origin, a stranger’s by any', async () => {
    const { execute, broker, service } = await fullScene()
    const headers = { origin: 'https://shop.example.com' }
    const page = await execute(undefined, { headers })
    expect(page.headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example.com',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
    })
    expect((await broker('echo')).headers['access-control-allow-origin']).toBe('*')
    const owners = await service.send('GET', '/v1/executions', { headers })
    expect(owners.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('logs one line a second, however many it refuses, and counts each', async () => {
    const { service, execute, lines, metrics } = await fullScene()
    for (let count = 0; count < 5; count += 1) await execute()
    service.clock.advance(1_000)
    await execute()
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, msg: 'requests were shed', shed: 1 },
      { level: 40, msg: 'requests were shed', shed: 5 },
    ])
    expect(await metrics.text()).toContain('svc_http_requests_shed_total{kind="execute",reason="held"} 6')
  })

  test('tells what is left of a burst once the next request is taken a second later', async () => {
    const { service, execute, lines, leave } = await fullScene()
    for (let count = 0; count < 5; count += 1) await execute()
    leave()
    await service.send('GET', '/health')
    service.clock.advance(1_000)
    await service.send('GET', '/health')
    await service.send('GET', '/health')
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'requests were shed')
    expect(told.map(({ shed }) => shed)).toEqual([1, 4])
  })

  test('holds nothing any more once requests are answered or admitted', async () => {
    const { service, execute, broker } = await setScene(database())
    let heldWhileRunning = -1
    service.model.say(async function* () {
      heldWhileRunning = service.deps.load.held
      yield { type: 'end', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
    })
    executed(await execute())
    await broker('unknown')
    await service.send('GET', '/v1/nowhere')
    await service.inject({ method: 'POST', url: '/v1/runtime/execute', payload: 'no json' })
    expect([heldWhileRunning, service.deps.load.held]).toEqual([0, 0])
  })

  test('does the same over the wire, where it never comes to the framework, and a body that follows does no harm', async () => {
    const { service, leave } = await fullScene()
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const ask = (path: string, init?: RequestInit) => fetch(url + path, init)
    const page = { method: 'POST', headers: { origin: 'https://a.example', 'x-request-id': 'request-0001' } }
    const refused = await ask('/v1/runtime/execute?x=1', { ...page, body: 'a'.repeat(300_000) })
    expect([refused.status, ErrorBody.parse(await refused.json()).error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'retry-after': '1',
      'x-request-id': 'request-0001',
    })
    const head = await ask('/v1/executions', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([429, ''])
    expect((await ask('/health')).status).toBe(200)
    expect((await ask('/v1/runtime/execute', { method: 'OPTIONS' })).status).toBe(204)
    leave()
    expect((await ask('/v1/executions')).status).toBe(401)
    expect(service.deps.load.held).toBe(0)
  })

  test('bounds executions under way for themselves', async () => {
    const { service, execute, broker, owner } = await setScene(database(), { limits: { executions: 1 } })
    const scope = service.deps.running.begin(60_000)
    onTestFinished(() => scope.end())
    for (const answer of [await execute(), await broker('echo')]) {
      expect(answer.statusCode).toBe(429)
      expect(answer.json().error.message).toBe('Too many executions are under way. Try again in a moment.')
    }
    expect((await service.send('GET', '/v1/executions', { key: owner.apiKey })).statusCode).toBe(200)
    expect((await service.send('GET', '/widget.js')).statusCode).toBe(404)
    scope.end()
    expect((await execute()).statusCode).toBe(200)
  })

  test('counts them again once the body has come, and charges nothing for who is refused then', async () => {
    const { service, owner, runtime, charged } = await setScene(database(), { limits: { executions: 1 } })
    const { runtimeId, publicKey } = runtime
    const port = await listenLocally(service.app)
    const before = await charged()
    const requests = [
      ['/v1/runtime/execute', saying(), publicKey],
      ['/v1/runtime/capability', { capability: 'echo', input: {} }, publicKey],
      ['/v1/executions', { runtimeId, ...saying() }, owner.apiKey],
      [`/v1/capabilities/${runtimeId}/echo`, {}, 'none'],
    ] as const
    for (const [path, body, key] of requests) {
      const whole = postText(path, body, { authorization: `Bearer ${key}`, connection: 'close' })
      const { taken } = watchNext(service.deps.load)
      const socket = connectTo(port, whole.slice(0, -1))
      await taken
      const other = service.deps.running.begin(60_000)
      socket.write(whole.slice(-1))
      const answer = await text(socket)
      other.end()
      expect(answer).toMatch(/^HTTP\/1.1 429 .*retry-after: 1\r\n.*Too many executions are under way\./s)
    }
    expect(await charged()).toEqual(before)
  })

  test.each([
    ['is answered', (url: string) => fetch(`${url}/openapi.json`).then((answer) => answer.text())],
    ['is not found', (url: string) => fetch(`${url}/v1/nowhere`)],
    ['asks for the head alone', (url: string) => fetch(`${url}/openapi.json`, { method: 'HEAD' })],
  ])('is done with a request that %s', async (_, ask) => {
    const { service } = await setScene(database())
    const port = await listenLocally(service.app)
    const { ended } = watchNext(service.deps.load)
    await ask(`http://127.0.0.1:${port}`)
    await ended
  })

  test('is done with a request whose caller has left', async () => {
    const { service, runtime } = await setScene(database())
    const port = await listenLocally(service.app)
    const { taken, ended } = watchNext(service.deps.load)
    const whole = postText('/v1/runtime/execute', saying(), { authorization: `Bearer ${runtime.publicKey}` })
    const socket = connectTo(port, whole.slice(0, -1))
    await taken
    socket.destroy()
    await ended
  })

  test('measures by a clock that nobody puts forward', async () => {
    const monotonicClock = createTestClock()
    const { service } = await setScene(database(), { limits: { heldRequests: 200 }, monotonicClock })
    const { load } = service.deps
    for (let count = 0; count < 150; count += 1) load.enter('execute')
    const boundAfter = (clock: typeof monotonicClock, ms: number) => {
      clock.advance(ms)
      load.refuses('execute')
      return load.bound
    }
    expect([boundAfter(monotonicClock, 100), boundAfter(monotonicClock, 100)]).toEqual([200, 100])
    expect(boundAfter(service.clock, 10_000)).toBe(100)
  })
})
