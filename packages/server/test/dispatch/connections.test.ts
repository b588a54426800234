import { EventEmitter } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listenOnFreePort } from '@svc/testkit'
import { buildConnector } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { boundReads, CHUNK_BYTES, CHUNKS_PER_TICK, createReadBudget } from '../../src/dispatch/connections.ts'

/** A connection to a server that sends these bytes, once at least `waitFor` of them have arrived. */
async function connectTo(bytes: Buffer, waitFor: number): Promise<Socket> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write(bytes)
  })
  const { port, close } = await listenOnFreePort(server)
  onTestFinished(close)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const connect = boundReads(buildConnector({}))
    connect({ hostname: '127.0.0.1', protocol: 'http:', port: String(port) }, (error, connected) =>
      error ? reject(error) : resolve(connected),
    )
  })
  onTestFinished(() => void socket.destroy())
  const arrived = new Promise<void>((resolve) => {
    socket.on('readable', () => socket.readableLength >= waitFor && resolve())
  })
  await arrived
  return socket
}

test('what arrived is read in chunks, all of it and in order', async () => {
  const bytes = Buffer.from(Array.from({ length: 2 * CHUNK_BYTES + 100 }, (_, index) => index % 251))
  const socket = await connectTo(bytes, bytes.length)
  const chunks: Buffer[] = []
  for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) chunks.push(chunk)
  expect(chunks.map(({ length }) => length)).toEqual([CHUNK_BYTES, CHUNK_BYTES, 100])
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
})

test('nothing more is read of a destroyed connection, whatever has arrived', async () => {
  const socket = await connectTo(Buffer.alloc(3 * CHUNK_BYTES), 3 * CHUNK_BYTES)
  expect(socket.read()).toHaveLength(CHUNK_BYTES)
  socket.destroy()
  expect(socket.read()).toBeNull()
})

/** Connections with so many chunks each. At each “readable” they read one, and as many more as they may. */
function connect(mayReadMore: ReturnType<typeof createReadBudget>, counts: readonly number[]) {
  return counts.map((count) => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false, left: count })
    socket.on('readable', () => {
      for (let isFirst = true; socket.left > 0 && (isFirst || mayReadMore(socket)); isFirst = false) socket.left -= 1
    })
    return socket
  })
}

test('in one tick each connection reads one chunk, and all together read so many more', async () => {
  const endless = Array.from({ length: 10 }, () => 1_000)
  const sockets = connect(createReadBudget(), endless)
  const left = () => sockets.reduce((sum, socket) => sum + socket.left, 0)
  for (const socket of sockets) socket.emit('readable')
  for (let tick = 1; tick <= 10; tick += 1) {
    expect(10_000 - left()).toBe(tick * (10 + CHUNKS_PER_TICK))
    await nextTurn()
  }
})

test('a small answer does not wait for large ones', () => {
  const [large, small] = connect(createReadBudget(), [1_000, 1])
  large?.emit('readable')
  small?.emit('readable')
  expect([large?.left, small?.left]).toEqual([1_000 - 1 - CHUNKS_PER_TICK, 0])
})

test('a connection that had to wait gets a “readable”, unless it was destroyed', async () => {
  const [kept, destroyed] = connect(createReadBudget(), [100, 100])
  kept?.emit('readable')
  destroyed?.emit('readable')
  if (destroyed) destroyed.destroyed = true
  while (kept && kept.left > 0) await nextTurn()
  expect([kept?.left, destroyed?.left]).toEqual([0, 99])
})
