import { connect } from 'node:net'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { type Scene, saying, setScene } from '../support/scene.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function times<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

function statuses(answers: readonly LightMyRequestResponse[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

/** An execute from this address, by this end user where one is named. */
function from({ service, runtime }: Scene, ip: string, endUserToken?: string): Promise<LightMyRequestResponse> {
  return sent(service, {
    url: '/v1/runtime/execute',
    remoteAddress: ip,
    headers: { ...JSON_TYPE, authorization: `Bearer ${runtime.publicKey}` },
    payload: JSON.stringify({ ...saying(), endUserToken }),
  })
}

function sent(service: Scene['service'], options: InjectOptions) {
  return service.inject({ method: 'POST', ...options })
}

function rateHeadersOf({ headers }: LightMyRequestResponse) {
  return ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => headers[name])
}

describeEngines('the rate limit', (engine) => {
  const database = useDatabase(engine)

  const key = ({ runtime }: Scene) => ({ ...JSON_TYPE, authorization: `Bearer ${runtime.publicKey}` })
  const refused: [string, number, (scene: Scene) => Promise<LightMyRequestResponse>][] = [
    [
      'malformed bodies',
      400,
      (of) => sent(of.service, { url: '/v1/runtime/execute', headers: key(of), payload: '{"messages": ' }),
    ],
    ['bodies that do not fit', 400, ({ execute }) => execute({ messages: 'none' })],
    ['bad input', 400, ({ call }) => call({ capability: 'echo', input: { text: 1 } })],
    ['unknown names', 404, ({ call }) => call({ capability: 'unknown', input: {} })],
  ]

  // holds LIM-08, LIM-12, SVC-13
  test.each(refused)('counts %s: exactly 60 of 75 are answered, each with RateLimit-*', async (_, status, ask) => {
    const scene = await setScene(database())
    const before = await scene.charged()
    const answers = await times(75, () => ask(scene))
    expect(statuses(answers)).toEqual({ [status]: 60, 429: 15 })
    expect(answers.flatMap(rateHeadersOf)).not.toContain(undefined)
    expect(await scene.charged()).toEqual(before)
  })

  // holds SVC-13
  test('takes no unit for a wrong key or an origin that is not allowed', async () => {
    const scene = await setScene(database())
    const { service, owner, runtime, execute } = scene
    const url = `/v1/runtimes/${runtime.runtimeId}/allowed-origins`
    await service.send('PUT', url, { key: owner.apiKey, body: { origins: ['https://shop.example.com'] } })
    const headers = { origin: 'https://other.example.com' }
    const foreign = await times(70, () => execute(saying(), { key: runtime.publicKey, headers }))
    const unknown = await times(70, () => execute(saying(), { key: runtime.deployKey }))
    expect([statuses(foreign), statuses(unknown)]).toEqual([{ 403: 70 }, { 401: 70 }])
    expect([...foreign, ...unknown].flatMap(rateHeadersOf).filter((value) => value !== undefined)).toEqual([])
    expect((await execute()).headers['ratelimit-remaining']).toBe('59')
  })

  // holds BRK-07
  test('of the broker counts requests that are refused after the look-up, with headers on each answer', async () => {
    const scene = await setScene(database())
    const answers = await times(75, () => scene.broker('echo', { input: { text: 1 } }))
    expect(statuses(answers)).toEqual({ 400: 60, 429: 15 })
    expect(answers.flatMap(rateHeadersOf)).not.toContain(undefined)
    expect((await scene.call({ capability: 'echo' })).headers['ratelimit-remaining']).toBe('59')
  })

  // holds LIM-08
  test('has its headers on the answer of an exhausted quota', async () => {
    const { executeAsOwner, execute } = await setScene(database())
    await times(200, () => executeAsOwner())
    const refused = await execute()
    expect(refusalOf(refused, 'rate_limit_exceeded')).toContain('quota')
    expect(rateHeadersOf(refused)).toEqual(['60', '59', '1'])
  })

  // holds LIM-12
  test('is shared by two replicas, each of which grants half of it', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const answers = await times(160, (index) => (index % 2 ? a : b).execute())
    expect(statuses(answers)).toEqual({ 200: 60, 429: 100 })
  })

  // holds LIM-12
  test('is granted in full by the replica that is left after the other has stopped', async () => {
    const { a, b } = await setReplicatedScene(engine)
    await b.service.deps.lease.release()
    await a.service.renew()
    expect(statuses(await times(75, () => a.execute()))).toEqual({ 200: 60, 429: 15 })
  })

  // holds LIM-12
  test('is granted in full by a replica once the other misses a renewal, before its lease ends', async () => {
    const { a } = await setReplicatedScene(engine)
    a.service.clock.advance(20_000)
    await a.service.renew()
    expect(statuses(await times(75, () => a.execute()))).toEqual({ 200: 60, 429: 15 })
  })

  test('admits a runtime with a larger plan a tenth of a second after it was refused', async () => {
    const { service, owner, execute } = await setScene(database())
    await times(61, () => execute())
    await database().db.updateTable('owners').set({ tier: 'pro' }).where('owner_id', '=', owner.ownerId).execute()
    await database()
      .db.updateTable('runtimes')
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('owner_id', '=', owner.ownerId)
      .execute()
    service.clock.advance(100)
    expect((await execute()).headers['ratelimit-limit']).toBe('600')
  })

  // holds LIM-13
  test.each([-3_600_000, 3_600_000])('continues unchanged where the clock is set by %i ms', async (by) => {
    const monotonicClock = createTestClock(0)
    const { service, execute } = await setScene(database(), { monotonicClock })
    expect(statuses(await times(61, () => execute()))).toEqual({ 200: 60, 429: 1 })
    service.clock.advance(by)
    expect((await execute()).headers['retry-after']).toBe('1')
    monotonicClock.advance(1_000)
    expect(statuses(await times(2, () => execute()))).toEqual({ 200: 1, 429: 1 })
  })
})

// Shares are kept in memory: one engine tells as much as two.
describeEngine('sqlite', 'a visitor among others', (engine) => {
  const database = useDatabase(engine)

  // holds LIM-04
  test('gets half of the rate, and the others the rest', async () => {
    const scene = await setScene(database())
    expect((await from(scene, '203.0.113.1')).statusCode).toBe(200)
    const greedy = await times(100, () => from(scene, '203.0.113.2'))
    expect(statuses(greedy)).toEqual({ 200: 30, 429: 70 })
    const refused = greedy.find(({ statusCode }) => statusCode === 429)
    expect(refused && refusalOf(refused, 'rate_limit_exceeded')).toContain('one visitor')
    expect(refused?.headers['retry-after']).toMatch(/^[12]$/)
    expect(statuses(await times(40, (index) => from(scene, `203.0.113.${10 + index}`)))).toEqual({ 200: 29, 429: 11 })
  })

  test('gets all of it while no other visitor has called for a minute', async () => {
    const scene = await setScene(database())
    await from(scene, '203.0.113.1')
    scene.service.clock.advance(60_000)
    await scene.service.renew()
    expect(statuses(await times(75, () => from(scene, '203.0.113.2')))).toEqual({ 200: 60, 429: 15 })
  })

  // holds LIM-04
  test('is the end user that the body names, from any address', async () => {
    const scene = await setScene(database())
    await from(scene, '203.0.113.1', 'user-1')
    const one = await times(40, (index) => from(scene, `203.0.113.${10 + index}`, 'user-2'))
    expect(statuses(one)).toEqual({ 200: 30, 429: 10 })
    expect(statuses(await times(29, (index) => from(scene, '203.0.113.10', `user-${3 + index}`)))).toEqual({ 200: 29 })
  })

  test('is an IPv6 network of 56 bits if the body has no token or a blank one', async () => {
    const scene = await setScene(database())
    await from(scene, '203.0.113.1')
    const one = await times(40, (index) => from(scene, `2001:db8:0:12${(index % 10) + 10}::1`, index % 2 ? ' ' : ''))
    expect(statuses(one)).toEqual({ 200: 30, 429: 10 })
    expect((await from(scene, '2001:db8:0:1300::1')).statusCode).toBe(200)
  })

  test('that sends unreadable bodies gets half of the rate, too', async () => {
    const scene = await setScene(database())
    await from(scene, '203.0.113.1')
    const headers = { ...JSON_TYPE, authorization: `Bearer ${scene.runtime.publicKey}` }
    const bad = await times(100, () =>
      sent(scene.service, { url: '/v1/runtime/execute', remoteAddress: '203.0.113.2', headers, payload: '{' }),
    )
    expect(statuses(bad)).toEqual({ 400: 30, 429: 70 })
    expect((await from(scene, '203.0.113.3')).statusCode).toBe(200)
  })

  test('of the broker gets half of the broker’s rate', async () => {
    const scene = await setScene(database())
    const url = `/v1/capabilities/${scene.runtime.runtimeId}/echo`
    const ask = (remoteAddress: string) =>
      sent(scene.service, { url, remoteAddress, headers: JSON_TYPE, payload: '{"input":{}}' })
    await ask('203.0.113.1')
    expect(statuses(await times(40, () => ask('203.0.113.2')))).toEqual({ 200: 30, 429: 10 })
  })

  // holds LIM-04
  test('cannot hold every unit by sending bodies slowly, and unused units are given back', async () => {
    const scene = await setScene(database())
    const { service, runtime } = scene
    await service.app.listen({ host: '127.0.0.1', port: 0 })
    const address = service.app.server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const refusals: string[] = []
    const begin = () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.on('data', (bytes) => refusals.push(bytes.toString().slice(0, 12)))
      socket.write(
        `POST /v1/runtime/execute HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${runtime.publicKey}\r\n` +
          'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
      )
      return socket
    }
    await from(scene, '203.0.113.1')
    const slow = Array.from({ length: 50 }, begin)
    onTestFinished(() => {
      for (const socket of slow) socket.destroy()
    })
    await expect.poll(() => refusals.length).toBe(20)
    expect(new Set(refusals)).toEqual(new Set(['HTTP/1.1 429']))
    expect((await from(scene, '203.0.113.1')).statusCode).toBe(200)
    for (const socket of slow) socket.destroy()
    scene.service.clock.advance(20_000)
    await expect
      .poll(async () => {
        const again = begin()
        const heard = await new Promise<string>((resolve) => {
          again.once('data', (bytes) => resolve(bytes.toString()))
          setTimeout(() => resolve('waits for its body'), 50)
        })
        again.destroy()
        return heard
      })
      .toBe('waits for its body')
  })
})

describeEngines('broker calls that find nothing', (engine) => {
  const database = useDatabase(engine)

  // holds BRK-04
  test('take no unit of a runtime, and are limited by network, alike for all three cases', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const { service, owner, runtime } = scene
    const unreachable = await service.runtime(owner, { endpoint: undefined })
    await service.deploy(unreachable)
    const paths = [`rt_nobody00000000000001/echo`, `${runtime.runtimeId}/unknown`, `${unreachable.runtimeId}/echo`]
    const ask = (path: string, remoteAddress: string) =>
      sent(service, { url: `/v1/capabilities/${path}`, remoteAddress, headers: JSON_TYPE, payload: '{}' })
    const answers = await times(630, (index) => ask(paths[index % 3] ?? '', '2001:db8::1'))
    expect(statuses(answers)).toEqual({ 404: 600, 429: 30 })
    expect(answers.flatMap(rateHeadersOf).filter((value) => value !== undefined)).toEqual([])
    const refusals = await Promise.all(paths.map((path) => ask(path, '2001:db8:0:ff::2')))
    expect(new Set(refusals.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(refusals[0]?.statusCode).toBe(429)
    expect((await ask(paths[0] ?? '', '2001:db8:0:100::1')).statusCode).toBe(404)
    expect((await ask(`${runtime.runtimeId}/echo`, '2001:db8::1')).headers['ratelimit-remaining']).toBe('599')
  })
})
