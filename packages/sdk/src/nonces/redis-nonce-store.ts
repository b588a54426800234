import type { Clock } from '../clock.ts'
import { type NonceStore, SHARED_CLOCKS_MS } from './nonce-store.ts'

/**
 * A Redis client: `ioredis` or `redis` (node-redis, connected) as it is. Any other one fits as `{ setIfAbsent }`, which
 * runs `SET key 1 PX ttlMs NX` and resolves to Redis’s reply, `OK` or null.
 * @example
 * createRedisNonceStore({ setIfAbsent: (key, ttlMs) => upstash.set(key, '1', { nx: true, px: ttlMs }) })
 */
export type RedisClient =
  | { call(command: string, ...parameters: string[]): Promise<unknown> }
  | { sendCommand(command: string[]): Promise<unknown> }
  | { setIfAbsent(key: string, ttlMs: number): Promise<unknown> }

export interface RedisNonceStoreOptions {
  /** What keys begin with. Default `svc:nonce:`. */
  readonly prefix?: string | undefined
  readonly clock?: Clock | undefined
}

/**
 * A nonce store that any number of servers share, in Redis: one `SET … PX … NX` per call. Where Redis does not answer,
 * calls are refused. Run it with `maxmemory-policy noeviction`: an evicted nonce lets its call be replayed.
 * @example
 * const redis = await createClient({ url: process.env.REDIS_URL }).connect()
 * createHandler({ runtime, runtimeId, secret, nonceStore: createRedisNonceStore(redis) })
 */
export function createRedisNonceStore(client: RedisClient, options: RedisNonceStoreOptions = {}): NonceStore {
  const { prefix = 'svc:nonce:', clock = Date } = options
  const setIfAbsent = setterOf(client)
  return {
    async claim(nonce, expiresAt) {
      const remainingMs = Math.ceil(expiresAt - clock.now())
      // Written so that a clock that returns NaN refuses.
      if (!(remainingMs > 0)) return false
      return wasSet(await setIfAbsent(prefix + nonce, remainingMs + SHARED_CLOCKS_MS))
    },
  }
}

type SetIfAbsent = (key: string, ttlMs: number) => Promise<unknown>

// `call` comes first: ioredis has a `sendCommand` too, which takes something else.
function setterOf(client: RedisClient): SetIfAbsent {
  if ('setIfAbsent' in client && typeof client.setIfAbsent === 'function') {
    return (key, ttlMs) => client.setIfAbsent(key, ttlMs)
  }
  if ('call' in client && typeof client.call === 'function') {
    return (key, ttlMs) => client.call('SET', key, '1', 'PX', String(ttlMs), 'NX')
  }
  if ('sendCommand' in client && typeof client.sendCommand === 'function') {
    return (key, ttlMs) => client.sendCommand(['SET', key, '1', 'PX', String(ttlMs), 'NX'])
  }
  throw new TypeError('createRedisNonceStore: the client has none of call(), sendCommand() and setIfAbsent().')
}

// Nothing but Redis’s two answers counts: what is not understood must not let a call in.
function wasSet(reply: unknown): boolean {
  if (reply === null || reply === undefined) return false
  if (String(reply) === 'OK') return true
  throw new TypeError('The Redis client answered SET with NX by neither OK nor null.')
}
