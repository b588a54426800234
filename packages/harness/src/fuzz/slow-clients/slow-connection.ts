import { connect, type Socket } from 'node:net'

/** How a connection is slow. */
export type SlowKind = 'headers' | 'body' | 'silent' | 'kept alive' | 'reader'

/** One slow connection, and when the server was done with it. */
export interface SlowConnection {
  kind: SlowKind
  openedAt: number
  /** When it was established; null where it never was. */
  connectedAt: number | null
  closedAt: number | null
  end(): void
}

export interface SlowTarget {
  port: number
  /** A request whose answer is longer than any buffer between the two. */
  longAnswer: Buffer
}

const BYTE_EVERY_MS = 1_000
const HEAD = 'POST /v1/auth/sign-in HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n'
/** What a reader takes before it stops for ever. */
const READ_BYTES = 1_000

/** Opens a connection and is slow on it until the server closes it. */
export function openSlowly(kind: SlowKind, { port, longAnswer }: SlowTarget): SlowConnection {
  const socket = connect({ port, host: '127.0.0.1' })
  const connection: SlowConnection = {
    kind,
    openedAt: performance.now(),
    connectedAt: null,
    closedAt: null,
    end: () => void socket.destroy(),
  }
  let timer: NodeJS.Timeout | undefined
  const done = () => {
    connection.closedAt ??= performance.now()
    clearInterval(timer)
  }
  socket.on('error', done).on('end', done).on('close', done)
  socket.once('connect', () => {
    connection.connectedAt = performance.now()
    timer = begin(socket, kind, longAnswer)
  })
  return connection
}

function begin(socket: Socket, kind: SlowKind, longAnswer: Buffer): NodeJS.Timeout | undefined {
  switch (kind) {
    case 'headers':
      socket.resume().write(HEAD)
      return drip(socket, 'x-slow: '.concat('a'.repeat(1_000)))
    case 'body':
      socket.resume().write(`${HEAD}content-length: 1000\r\n\r\n`)
      return drip(socket, ' '.repeat(1_000))
    case 'silent':
      socket.resume()
      return undefined
    case 'kept alive':
      socket.resume().write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
      return undefined
    case 'reader':
      readLittle(socket, longAnswer)
      return undefined
    default:
      return kind satisfies never
  }
}

function drip(socket: Socket, text: string): NodeJS.Timeout {
  let at = 0
  return setInterval(() => {
    socket.write(text.charAt(at))
    at += 1
  }, BYTE_EVERY_MS)
}

function readLittle(socket: Socket, request: Buffer): void {
  let read = 0
  socket.on('data', (bytes) => {
    read += bytes.length
    if (read > READ_BYTES) socket.pause()
  })
  socket.write(request)
}
