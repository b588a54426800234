import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'

/** Lets the app listen on a free port of the loopback address. */
export async function listenLocally(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the app listens on no port')
  return address.port
}

/** A connection over which these bytes have been sent first of all; it is closed when the running test has finished. */
export function connectTo(port: number, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** A request as it stands on the wire, with a body of JSON. */
export function postText(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body)
  const lines = Object.entries({ ...headers, 'content-type': 'application/json', 'content-length': text.length })
  return `POST ${path} HTTP/1.1\r\nhost: a\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${text}`
}

export interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: string
}

/**
 * Sends bytes as they are and reads until the server has closed its side; this side stays open until then. What is sent
 * must make the server close: malformed, or with `connection: close`.
 */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => {
      socket.end()
      resolve(parse(Buffer.concat(chunks).toString('utf8')))
    })
  })
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body: text.slice(end + 4) }
}

/**
 * The status of a request, its head given, over a connection of its own from this address, which stays open until the
 * running test has finished; null where it is closed unanswered.
 */
export function statusOver(port: number, localAddress: string, head = GET_ROOT): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(head))
    socket.on('error', () => undefined).on('close', () => resolve(null))
    socket.once('data', (bytes) => resolve(Number(bytes.toString().split(' ')[1])))
    onTestFinished(() => void socket.destroy())
  })
}

const GET_ROOT = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
