import { createHandler, createRedisNonceStore, defineCapability, defineRuntime, type RedisClient } from '@svc/sdk'
import { createFakeControlPlane } from '@svc/sdk/testing'
import { startRedisDouble } from '@svc/testkit'
import { locate, needs } from '@svc/testkit/needs'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, onTestFinished, test } from 'vitest'
import { describeClaims, stampedAt } from '../support/claim-races.ts'
import { fakeClock, NOW, RUNTIME_ID, SECRET } from '../support/signed-calls.ts'

type Connect = (url: string) => Promise<RedisClient>

const CLIENTS: Record<string, Connect> = {
  'redis, protocol 2': (url) => connectNodeRedis(url, 2),
  'redis, protocol 3': (url) => connectNodeRedis(url, 3),
  ioredis: async (url) => {
    const client = new Redis(url)
    onTestFinished(() => client.disconnect())
    return client
  },
  'a client of another kind': async (url) => {
    const client = await connectNodeRedis(url, 3)
    return {
      setIfAbsent: (key, ttlMs) => client.set(key, '1', { condition: 'NX', expiration: { type: 'PX', value: ttlMs } }),
    }
  },
}

async function connectNodeRedis(url: string, RESP: 2 | 3) {
  const client = createClient({ url, RESP })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => void (client.isOpen && client.destroy()))
  return client
}

async function setUp() {
  const clock = fakeClock()
  const double = await startRedisDouble({ now: clock.now })
  onTestFinished(() => double.close())
  return { clock, double }
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  describeClaims(`a Redis store through ${name}`, async (clock) => {
    const double = await startRedisDouble({ now: clock.now })
    onTestFinished(() => double.close())
    const open = async () => createRedisNonceStore(await connect(double.url), { clock })
    return [await open(), await open()]
  })

  test(`${name} sends one SET with NX and an expiry in milliseconds`, async () => {
    const { clock, double } = await setUp()
    const store = createRedisNonceStore(await connect(double.url), { clock, prefix: 'shop:' })
    expect(await store.claim('n', stampedAt(NOW))).toBe(true)
    expect(double.keys()).toEqual(['shop:n'])
    expect(double.sets).toHaveLength(1)
    const [set = []] = double.sets
    expect(set.slice(0, 3)).toEqual(['SET', 'shop:n', '1'])
    expect(new Set(set.slice(3))).toEqual(new Set(['NX', 'PX', '605000']))
  })

  test(`an error of Redis refuses the claim through ${name}`, async () => {
    const { clock, double } = await setUp()
    const store = createRedisNonceStore(await connect(double.url), { clock })
    double.refuseSets("OOM command not allowed when used memory > 'maxmemory'.")
    await expect(store.claim('n', stampedAt(NOW))).rejects.toThrow('OOM')
    double.refuseSets(null)
    expect(await store.claim('n', stampedAt(NOW))).toBe(true)
  })
}

needs('redis')('on a server', () => {
  for (const [name, connect] of Object.entries(CLIENTS)) {
    describeClaims(`a Redis store through ${name}`, async (clock) => {
      const prefix = `svc-test:${crypto.randomUUID()}:`
      onTestFinished(() => removeKeys(locate('redis'), prefix))
      const open = async () => createRedisNonceStore(await connect(locate('redis')), { clock, prefix })
      return [await open(), await open()]
    })
  }

  async function removeKeys(url: string, prefix: string): Promise<void> {
    const client = new Redis(url)
    for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 })) {
      if (Array.isArray(keys) && keys.length > 0) await client.del(keys.map(String))
    }
    client.disconnect()
  }
})

// holds SIG-09
test('a server whose clock runs five minutes ahead forgets nothing that one five minutes behind lets in', async () => {
  const { clock, double } = await setUp()
  const connect = CLIENTS['ioredis']
  if (!connect) throw new Error('no client')
  const ahead = createRedisNonceStore(await connect(double.url), { clock: { now: () => clock.now() + 150_000 } })
  const behind = createRedisNonceStore(await connect(double.url), { clock: { now: () => clock.now() - 150_000 } })
  expect(await ahead.claim('n', stampedAt(NOW))).toBe(true)
  for (let elapsedMs = 0; elapsedMs <= 450_000; elapsedMs += 10_000) {
    clock.set(NOW + elapsedMs)
    expect(await behind.claim('n', stampedAt(NOW))).toBe(false)
  }
})

test('an answer that is neither OK nor null refuses', async () => {
  for (const reply of ['QUEUED', 1, true, {}, []]) {
    const store = createRedisNonceStore({ setIfAbsent: async () => reply }, { clock: fakeClock() })
    await expect(store.claim('n', stampedAt(NOW))).rejects.toThrow(/neither OK nor null/)
  }
  const buffers = createRedisNonceStore({ setIfAbsent: async () => Buffer.from('OK') }, { clock: fakeClock() })
  expect(await buffers.claim('n', stampedAt(NOW))).toBe(true)
})

test('something that is no client is refused at the start', () => {
  // @ts-expect-error a client without any of the three commands
  expect(() => createRedisNonceStore({ get: async () => null })).toThrow(
    /none of call\(\), sendCommand\(\) and setIfAbsent\(\)/,
  )
})

test('a call during an error of Redis is answered 503, and its handler does not run', async () => {
  const { clock, double } = await setUp()
  let runs = 0
  const errors: unknown[] = []
  const count = defineCapability({ name: 'count', version: '1.0.0', handler: () => ++runs })
  const handler = createHandler({
    runtime: defineRuntime({ capabilities: [count] }),
    ...{ runtimeId: RUNTIME_ID, secret: SECRET, clock, onError: (error) => errors.push(error) },
    nonceStore: createRedisNonceStore(await connectNodeRedis(double.url, 3), { clock }),
  })
  const controlPlane = createFakeControlPlane(handler, { runtimeId: RUNTIME_ID, secret: SECRET, clock })
  double.refuseSets('LOADING Redis is loading the dataset in memory')
  expect(await controlPlane.call(count, {})).toMatchObject({ ok: false, code: 'nonce_store_unavailable' })
  expect(controlPlane.exchanges.at(-1)?.status).toBe(503)
  expect(runs).toBe(0)
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('LOADING') })])
  double.refuseSets(null)
  expect(await controlPlane.call(count, {})).toEqual({ ok: true, output: 1 })
  expect(await controlPlane.replay()).toMatchObject({ ok: false, code: 'nonce_replayed' })
})
