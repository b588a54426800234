import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { startTcpRelay } from '../src/support/tcp-relay.ts'

/** A server that says everything again, behind a relay. */
async function prepare() {
  const reply: string[] = []
  const listening = await listenOnFreePort(
    createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (bytes) => {
          reply.push(bytes.toString())
          socket.write(bytes)
        })
    }),
  )
  const relay = await startTcpRelay({ host: '127.0.0.1', port: listening.port })
  onTestFinished(async () => {
    await relay.close()
    await listening.close()
  })
  const open = async () => {
    const socket = connect(relay.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { relay, reply, open }
}

async function echoOf(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [bytes] = await once(socket, 'data')
  return String(bytes)
}

test('a relay passes what is sent, both ways', async () => {
  const { open } = await prepare()
  expect(await echoOf(await open(), 'hello')).toBe('hello')
})

test('refused: the connections there are break, new ones are refused, until it is mended', async () => {
  const { relay, open } = await prepare()
  const socket = await open()
  await echoOf(socket, 'hello')
  const broken = once(socket, 'error')
  await relay.breakBy('refuse')
  expect(String(await broken)).toContain('ECONNRESET')
  await expect(open()).rejects.toThrow('ECONNREFUSED')
  await relay.mend()
  expect(await echoOf(await open(), 'again')).toBe('again')
})

test('reset: connections are taken and reset', async () => {
  const { relay, open } = await prepare()
  const socket = await open()
  await echoOf(socket, 'hello')
  const broken = once(socket, 'error')
  await relay.breakBy('reset')
  expect(String(await broken)).toContain('ECONNRESET')
  const next = connect(relay.port, '127.0.0.1')
  expect(String(await once(next, 'error'))).toContain('ECONNRESET')
  await relay.mend()
  expect(await echoOf(await open(), 'again')).toBe('again')
})

test('hung: nothing arrives on any connection, and all of it does once it is mended', async () => {
  const { relay, reply, open } = await prepare()
  const known = await open()
  await echoOf(known, 'hello')
  await relay.breakBy('hang')
  const fresh = await open()
  const echoes = [echoOf(known, 'held'), echoOf(fresh, 'new')]
  // A direct way to the same loop: whatever was to pass would have passed by then.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  expect(reply).toEqual(['hello'])
  await relay.mend()
  expect(await Promise.all(echoes)).toEqual(['held', 'new'])
})

test('hung: a client that waited and then ends its half is answered all the same', async () => {
  const { relay, open } = await prepare()
  await relay.breakBy('hang')
  const fresh = await open()
  const echo = echoOf(fresh, 'new')
  await relay.mend()
  expect(await echo).toBe('new')
  fresh.end('last words')
  expect(await text(fresh)).toBe('last words')
})
