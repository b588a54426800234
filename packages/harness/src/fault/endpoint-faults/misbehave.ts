import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

const JSON_TYPE = 'content-type: application/json\r\n'
const HEAD = `HTTP/1.1 200 OK\r\n${JSON_TYPE}`
const MB = 1024 * 1024

const LARGE = Buffer.from(JSON.stringify({ output: 'x'.repeat(10 * MB) }))
const BOMB = gzipSync(Buffer.from(JSON.stringify({ output: 'x'.repeat(100 * MB) })))
const DEEP = `{"output":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
const WHOLE = Buffer.from(answerOf('{"output":{"order":"A-1001"}}'))
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')])
const MANY_HEADERS = Array.from({ length: 3_000 }, (_, index) => `x-h${index}: ${'v'.repeat(40)}\r\n`).join('')

/** How long the slow, well-behaved endpoint takes; less than the limit of a call. */
const SLOW_MS = 2_000

/** Answers one whole request in a given way. `index` counts the requests that were answered in this way before. */
type Way = (socket: Socket, index: number) => void

const sends =
  (...parts: readonly (string | Uint8Array)[]): Way =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

const ends =
  (text: string): Way =>
  (socket) =>
    socket.end(text)

/** Ways by name; one that is not here, the caller does not know. */
export const WAYS: ReadonlyMap<string, Way> = new Map<string, Way>([
  ['good', sends(WHOLE)],
  ['slow', (socket) => void setTimeout(() => socket.write(WHOLE), SLOW_MS)],
  ['silence', () => undefined],
  ['drip', drip],
  ['half-open', (socket) => void socket.end()],
  ['reset', (socket, index) => resetAfter(socket, index % WHOLE.length)],
  ['ten-megabytes', sends(`${HEAD}content-length: ${LARGE.length}\r\n\r\n`, LARGE)],
  [
    'ten-megabytes-in-chunks',
    sends(`${HEAD}transfer-encoding: chunked\r\n\r\n${LARGE.length.toString(16)}\r\n`, LARGE, '\r\n0\r\n\r\n'),
  ],
  ['endless', (socket) => pour(socket, `${HEAD}transfer-encoding: chunked\r\n\r\n`, CHUNK)],
  ['gzip-bomb', sends(`${HEAD}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`, BOMB)],
  ['redirect', sends('HTTP/1.1 302 Found\r\nlocation: /target/0\r\ncontent-length: 0\r\n\r\n')],
  ['html', sends('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 15\r\n\r\n<!doctype html>')],
  ['deep-json', sends(answerOf(DEEP))],
  ['too-short', ends(`${HEAD}content-length: 100\r\n\r\n{"output":1}`)],
  ['too-long', ends(`${HEAD}content-length: 6\r\n\r\n{"output":1}`)],
  ['many-headers', sends(`${HEAD}${MANY_HEADERS}content-length: 12\r\n\r\n{"output":1}`)],
  ['no-content-with-body', ends(`HTTP/1.1 204 No Content\r\n${JSON_TYPE}content-length: 12\r\n\r\n{"output":1}`)],
  ['continue-flood', (socket) => pour(socket, '', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)))],
  [
    'early-hints-flood',
    (socket) => pour(socket, '', Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000))),
  ],
])

function answerOf(body: string): string {
  return `${HEAD}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function drip(socket: Socket): void {
  socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
  const timer = setInterval(() => socket.write('1\r\n \r\n'), 1_000)
  socket.once('close', () => clearInterval(timer))
}

function resetAfter(socket: Socket, bytes: number): void {
  if (bytes === 0) socket.resetAndDestroy()
  else socket.write(WHOLE.subarray(0, bytes), () => socket.resetAndDestroy())
}

// As fast as anybody reads, and no faster.
function pour(socket: Socket, head: string, piece: Uint8Array): void {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}
