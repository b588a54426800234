import { SHARED_CLOCKS_MS } from '../nonces/nonce-store.ts'
import { type EffectBounds, type EffectStore, effectBounds } from './effect-store.ts'

/**
 * A Redis client: `ioredis` or `redis` (node-redis, connected) as it is. Any other one fits as `{ sendCommand }`, which sends
 * the words of a command and resolves to Redis’s reply.
 * @example
 * createRedisEffectStore({ sendCommand: (words) => upstash.exec(words) })
 */
export type RedisEffectClient =
  | { call(command: string, ...parameters: string[]): Promise<unknown> }
  | { sendCommand(command: string[]): Promise<unknown> }

export interface RedisEffectStoreOptions extends EffectBounds {
  /** What keys begin with. Default `svc:effect:`. */
  readonly prefix?: string | undefined
}

const BEGIN_TRIES = 3

/**
 * An effect store that any number of processes share, in Redis: two `SET` per call. Where Redis does not answer, or has no
 * memory left, calls are refused. Run it with `maxmemory` as the bound of all entries and `maxmemory-policy noeviction`, and
 * with persistence: a record that is lost lets its call be done twice.
 * @example
 * const redis = await createClient({ url: process.env.REDIS_URL }).connect()
 * defineRuntime({ capabilities: [refund], effects: createRedisEffectStore(redis) })
 */
export function createRedisEffectStore(client: RedisEffectClient, options: RedisEffectStoreOptions = {}): EffectStore {
  const { prefix = 'svc:effect:' } = options
  const bounds = effectBounds(options)
  const send = senderOf(client)
  const ttlMs = String(Math.ceil(bounds.lifetimeMs + SHARED_CLOCKS_MS))

  async function read(key: string): Promise<string | null> {
    const reply = await send('GET', prefix + key)
    if (reply === null || reply === undefined) return null
    if (typeof reply === 'string') return reply
    if (reply instanceof Uint8Array) return new TextDecoder().decode(reply)
    throw new TypeError('The Redis client answered GET by neither a text nor null.')
  }

  return {
    ...bounds,
    read,
    async begin(key, record) {
      // An earlier record may expire between the two commands.
      for (let attempt = 0; attempt < BEGIN_TRIES; attempt += 1) {
        if (wasSet(await send('SET', prefix + key, record, 'PX', ttlMs, 'NX'))) return null
        const earlier = await read(key)
        if (earlier !== null) return earlier
      }
      throw new Error('Redis neither took the record of the call nor has one.')
    },
    async end(key, record) {
      if (!wasSet(await send('SET', prefix + key, record, 'PX', ttlMs)))
        throw new Error('Redis did not store the record.')
    },
  }
}

type Send = (...words: [string, ...string[]]) => Promise<unknown>

// `call` comes first: ioredis has a `sendCommand` too, which takes something else.
function senderOf(client: RedisEffectClient): Send {
  if ('call' in client && typeof client.call === 'function') return (...words) => client.call(...words)
  if ('sendCommand' in client && typeof client.sendCommand === 'function')
    return (...words) => client.sendCommand(words)
  throw new TypeError('createRedisEffectStore: the client has neither call() nor sendCommand().')
}

// Nothing but Redis’s two answers counts: what is not understood must not let a call in.
function wasSet(reply: unknown): boolean {
  if (reply === null || reply === undefined) return false
  if (String(reply) === 'OK') return true
  throw new TypeError('The Redis client answered SET by neither OK nor null.')
}
