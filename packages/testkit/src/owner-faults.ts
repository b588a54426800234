import type { ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

/** A way for an endpoint to misbehave. Stalls and drips end when the client leaves or the endpoint is closed. */
export type Fault =
  | { fault: 'status'; status: number; headers?: Readonly<Record<string, string>>; body?: string | Uint8Array }
  | { fault: 'redirect'; status: number; location: string }
  /** Reads the request and never answers. */
  | { fault: 'silence' }
  /** Sends the head and nothing after it. */
  | { fault: 'stalled-body' }
  /** Sends the head, then one byte at a time for ever. */
  | { fault: 'drip'; everyMs: number }
  /** Cuts the connection, as TCP reset or in the orderly way. */
  | { fault: 'cut'; at: 'before-head' | 'inside-head' | 'inside-body'; how: 'reset' | 'end' }
  /** Announces more bytes than it sends, and ends. */
  | { fault: 'short-body' }
  /** A valid JSON answer of about so many bytes, with its length announced or in chunks. */
  | { fault: 'huge'; bytes: number; announced: boolean }
  /** Sends chunks for as long as anybody reads. */
  | { fault: 'endless' }
  | { fault: 'html' }
  | { fault: 'deep'; levels: number }
  | { fault: 'many-headers'; count: number; bytesEach: number }
  /** Writes these bytes to the socket in place of an HTTP answer, then ends. */
  | { fault: 'raw'; bytes: string | Uint8Array }

const JSON_HEAD = { 'content-type': 'application/json' }
const RAW_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** Commits one fault on a response that has not begun. */
export function commitFault(fault: Fault, response: ServerResponse): void {
  switch (fault.fault) {
    case 'silence':
      break
    case 'stalled-body':
      response.writeHead(200, JSON_HEAD).flushHeaders()
      break
    case 'drip':
      drip(response, fault.everyMs)
      break
    case 'cut':
      cut(response, fault)
      break
    case 'short-body':
      sendRaw(response, `${RAW_HEAD}content-length: 100\r\n\r\n{"output":1}`)
      break
    case 'endless':
      endless(response)
      break
    case 'raw':
      sendRaw(response, fault.bytes)
      break
    default:
      answerBadly(fault, response)
  }
}

/** A valid answer of so many bytes, compressed. Made at once, so that the endpoint loses no time when it is called. */
export function compressedAnswer(encoding: 'gzip' | 'br' | 'deflate', bytes: number): Fault {
  const compress = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }[encoding]
  return { fault: 'status', status: 200, headers: { 'content-encoding': encoding }, body: compress(answerOf(bytes)) }
}

type Stall = 'silence' | 'stalled-body' | 'drip' | 'cut' | 'short-body' | 'endless' | 'raw'
type BadAnswer = Exclude<Fault, { fault: Stall }>

// Whole HTTP answers that nobody can use.
function answerBadly(fault: BadAnswer, response: ServerResponse): void {
  switch (fault.fault) {
    case 'status':
      response.writeHead(fault.status, { ...JSON_HEAD, ...fault.headers }).end(fault.body ?? '{}')
      break
    case 'redirect':
      response.writeHead(fault.status, { location: fault.location }).end()
      break
    case 'huge':
      huge(response, fault)
      break
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title>')
      break
    case 'deep':
      response.writeHead(200, JSON_HEAD).end(deepJson(fault.levels))
      break
    case 'many-headers':
      manyHeaders(response, fault)
      break
    default:
      fault satisfies never
  }
}

function drip(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, JSON_HEAD).flushHeaders()
  const timer = setInterval(() => response.write(' '), everyMs)
  response.on('close', () => clearInterval(timer))
}

function cut({ socket }: ServerResponse, { at, how }: Extract<Fault, { fault: 'cut' }>): void {
  const sent = {
    'before-head': '',
    'inside-head': 'HTTP/1.1 200 O',
    'inside-body': `${RAW_HEAD}content-length: 99\r\n\r\n{`,
  }
  const leave = () => (how === 'reset' ? socket?.resetAndDestroy() : socket?.end())
  if (at === 'before-head') leave()
  else socket?.write(sent[at], leave)
}

function sendRaw({ socket }: ServerResponse, bytes: string | Uint8Array): void {
  socket?.end(bytes)
}

function huge(response: ServerResponse, { bytes, announced }: Extract<Fault, { fault: 'huge' }>): void {
  const body = answerOf(bytes)
  response.writeHead(200, announced ? { ...JSON_HEAD, 'content-length': body.length } : JSON_HEAD)
  if (!announced) response.flushHeaders()
  response.end(body)
}

function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  response.writeHead(200, JSON_HEAD)
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}

function manyHeaders(response: ServerResponse, { count, bytesEach }: Extract<Fault, { fault: 'many-headers' }>): void {
  const value = 'x'.repeat(bytesEach)
  const headers = Array.from({ length: count }, (_, index) => [`h${index}`, value]).flat()
  response.writeHead(200, ['content-type', 'application/json', ...headers]).end('{"output":true}')
}

const answers = new Map<number, Buffer>()

/** Made once for each size: 200 calls at once would keep the endpoint’s thread busy for seconds. */
function answerOf(bytes: number): Buffer {
  const answer = answers.get(bytes) ?? Buffer.from(JSON.stringify({ output: 'x'.repeat(bytes) }))
  answers.set(bytes, answer)
  return answer
}

function deepJson(levels: number): string {
  return `{"output":${'['.repeat(levels)}${']'.repeat(levels)}}`
}
