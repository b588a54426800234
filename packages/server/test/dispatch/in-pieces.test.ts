import { createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '@svc/testkit'
import { buildConnector } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { inPieces, PIECE_BYTES } from '../../src/dispatch/in-pieces.ts'

/** A connection to a server that sends these bytes, once at least `waitFor` of them have arrived. */
async function connectTo(bytes: Buffer, waitFor: number): Promise<Socket> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write(bytes)
  })
  const { port, close } = await listenOnFreePort(server)
  onTestFinished(close)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const connect = inPieces(buildConnector({}))
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

test('what arrived is handed over in pieces, all of it and in order', async () => {
  const bytes = Buffer.from(Array.from({ length: 2 * PIECE_BYTES + 100 }, (_, index) => index % 251))
  const socket = await connectTo(bytes, bytes.length)
  const pieces: Buffer[] = []
  for (let piece: Buffer | null = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece)
  expect(pieces.map(({ length }) => length)).toEqual([PIECE_BYTES, PIECE_BYTES, 100])
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
})

test('a connection that was given up hands over nothing more, whatever has arrived', async () => {
  const socket = await connectTo(Buffer.alloc(3 * PIECE_BYTES), 3 * PIECE_BYTES)
  expect(socket.read()).toHaveLength(PIECE_BYTES)
  socket.destroy()
  expect(socket.read()).toBeNull()
})
