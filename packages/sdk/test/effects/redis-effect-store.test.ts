import { createRedisEffectStore, type RedisEffectClient } from '@svc/sdk'
import { startRedisDouble } from '@svc/testkit'
import { locate, needs } from '@svc/testkit/needs'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, onTestFinished, test } from 'vitest'
import { describeEffects } from '../support/effect-races.ts'

type Connect = (url: string) => Promise<RedisEffectClient>

const CLIENTS: Record<string, Connect> = {
  'redis, protocol 2': (url) => connectNodeRedis(url, 2),
  'redis, protocol 3': (url) => connectNodeRedis(url, 3),
  ioredis: async (url) => connectIoredis(url),
  'a client of another kind': async (url) => {
    const client = connectIoredis(url)
    return { sendCommand: ([command = '', ...parameters]) => client.call(command, ...parameters) }
  },
}

function connectIoredis(url: string): Redis {
  const client = new Redis(url)
  onTestFinished(() => client.disconnect())
  return client
}

async function connectNodeRedis(url: string, RESP: 2 | 3) {
  const client = createClient({ url, RESP })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => void (client.isOpen && client.destroy()))
  return client
}

async function openDouble() {
  const double = await startRedisDouble()
  onTestFinished(() => double.close())
  return double
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  describeEffects(`a Redis store through ${name}`, async () => {
    const double = await openDouble()
    const open = async () => createRedisEffectStore(await connect(double.url))
    return [await open(), await open()]
  })

  test(`${name} sends SET with NX at the begin, and an expiry of a day and five minutes`, async () => {
    const double = await openDouble()
    const store = createRedisEffectStore(await connect(double.url), { prefix: 'shop:' })
    await store.begin('k', 'begun')
    await store.end('k', 'ended')
    expect(double.sets).toEqual([
      ['SET', 'shop:k', 'begun', 'PX', '86700000', 'NX'],
      ['SET', 'shop:k', 'ended', 'PX', '86700000'],
    ])
  })

  test(`an error of Redis refuses the call through ${name}`, async () => {
    const double = await openDouble()
    const store = createRedisEffectStore(await connect(double.url))
    double.refuseSets("OOM command not allowed when used memory > 'maxmemory'.")
    await expect(store.begin('k', 'record')).rejects.toThrow('OOM')
    await expect(store.end('k', 'record')).rejects.toThrow('OOM')
  })
}

needs('redis')('on a server', () => {
  for (const [name, connect] of Object.entries(CLIENTS)) {
    describeEffects(`a Redis store through ${name}`, async () => {
      const prefix = `svc-test:${crypto.randomUUID()}:`
      onTestFinished(() => removeKeys(locate('redis'), prefix))
      const open = async () => createRedisEffectStore(await connect(locate('redis')), { prefix })
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

test('an answer that is neither OK nor null refuses', async () => {
  for (const reply of ['QUEUED', 1, true, {}, []]) {
    const store = createRedisEffectStore({ sendCommand: async () => reply })
    await expect(store.begin('k', 'record')).rejects.toThrow(/neither OK nor null/)
  }
  const silent = createRedisEffectStore({ sendCommand: async () => null })
  await expect(silent.begin('k', 'record')).rejects.toThrow(/neither took the record/)
  await expect(silent.end('k', 'record')).rejects.toThrow(/did not store/)
  const odd = createRedisEffectStore({ sendCommand: async ([word]) => (word === 'GET' ? 7 : null) })
  await expect(odd.begin('k', 'record')).rejects.toThrow(/neither a text nor null/)
  const bytes = createRedisEffectStore({ sendCommand: async ([word]) => (word === 'GET' ? Buffer.from('é') : null) })
  expect(await bytes.begin('k', 'record')).toBe('é')
})

test('something that is no client is refused at the start', () => {
  // @ts-expect-error a client without either command
  expect(() => createRedisEffectStore({ get: async () => null })).toThrow(/neither call\(\) nor sendCommand\(\)/)
})
