import { createServer, type Socket } from 'node:net'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { createRespReader, type RespReply, writeReply } from './resp.ts'

export interface RedisDoubleOptions {
  /** The double's clock, milliseconds since the epoch. */
  now?: () => number
}

/** A small Redis on a port of its own: strings with an expiry, in both versions of its protocol. */
export interface RedisDouble {
  readonly url: string
  readonly port: number
  /** Every `SET` as it came, in order. */
  readonly sets: readonly string[][]
  /** Unexpired keys. */
  keys(): string[]
  /** Answers every further `SET` with this error, such as `OOM …`; null ends it. */
  refuseSets(error: string | null): void
  close(): Promise<void>
}

interface State {
  now: () => number
  entries: Map<string, { value: string; expiresAt: number }>
  sets: string[][]
  refusal: string | null
}

/** Starts a Redis double on 127.0.0.1. */
export async function startRedisDouble(options: RedisDoubleOptions = {}): Promise<RedisDouble> {
  const state: State = { now: options.now ?? Date.now, entries: new Map(), sets: [], refusal: null }
  const { port, close } = await listenOnFreePort(createServer((socket) => serve(state, socket)))
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    sets: state.sets,
    keys: () => [...state.entries.keys()].filter((key) => read(state, key) !== null),
    refuseSets: (error) => {
      state.refusal = error
    },
    close,
  }
}

function serve(state: State, socket: Socket): void {
  const commandsOf = createRespReader()
  let version: 2 | 3 = 2
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    for (const [name = '', ...words] of commandsOf(chunk)) {
      if (name.toUpperCase() === 'HELLO') version = words[0] === '3' ? 3 : 2
      socket.write(writeReply(answer(state, name.toUpperCase(), words, version), version))
      if (name.toUpperCase() === 'QUIT') socket.end()
    }
  })
}

function answer(state: State, name: string, words: readonly string[], version: 2 | 3): RespReply {
  switch (name) {
    case 'HELLO':
      return new Map<string, string | number>([
        ...([
          ['server', 'redis'],
          ['version', '7.0.0'],
          ['proto', version],
          ['id', 1],
        ] as const),
        ...([
          ['mode', 'standalone'],
          ['role', 'master'],
        ] as const),
      ])
    case 'CLIENT':
    case 'SELECT':
    case 'QUIT':
      return 'OK'
    case 'PING':
      return 'PONG'
    case 'INFO':
      return { text: '# Server\r\nredis_version:7.0.0\r\nloading:0\r\n' }
    case 'GET':
      return asText(read(state, words[0] ?? ''))
    case 'SET':
      state.sets.push([name, ...words])
      return state.refusal === null ? set(state, words) : { error: state.refusal }
    default:
      return { error: `ERR unknown command '${name}'` }
  }
}

function set(state: State, [key = '', value = '', ...options]: readonly string[]): RespReply {
  let ttlMs = Number.POSITIVE_INFINITY
  let isForNew = false
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at]?.toUpperCase()
    if (option === 'NX') isForNew = true
    else if (option === 'PX') ttlMs = Number(options[++at])
    else return { error: 'ERR syntax error' }
  }
  if (ttlMs !== Number.POSITIVE_INFINITY && !(Number.isInteger(ttlMs) && ttlMs > 0)) {
    return { error: "ERR invalid expire time in 'set' command" }
  }
  if (isForNew && read(state, key) !== null) return null
  state.entries.set(key, { value, expiresAt: state.now() + ttlMs })
  return 'OK'
}

function read(state: State, key: string): string | null {
  const entry = state.entries.get(key)
  return entry && entry.expiresAt > state.now() ? entry.value : null
}

function asText(value: string | null): RespReply {
  return value === null ? null : { text: value }
}
