import { connect, type Socket } from 'node:net'

/** A request before it is bytes: nothing in it needs to be well-formed. Texts are bytes, one character each. */
export interface RawRequest {
  method: string
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | null
}

/** The bytes of a request, with the length of its body unless it says one of its own. */
export function toBytes({ method, target, headers, body }: RawRequest): Buffer {
  const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name.trim()))
  const length = body === null || isFramed ? [] : [['content-length', String(body.length)] as const]
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return body === null ? head : Buffer.concat([head, body])
}

/** A text as bytes of UTF-8, one character each, as a request line or a header carries it. */
export function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A well-formed request with a JSON body, where it has one. */
export function jsonRequest(
  method: string,
  target: string,
  { key, body, headers = [] }: { key?: string | undefined; body?: unknown; headers?: RawRequest['headers'] } = {},
): RawRequest {
  return {
    method,
    target,
    headers: [
      ['host', '127.0.0.1'],
      ...(key === undefined ? [] : [['authorization', `Bearer ${key}`] as const]),
      ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
      ...headers,
    ],
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
  }
}

/** An answer as it stood on the wire. */
export interface RawAnswer {
  status: number
  /** By name in lower case; the values of a repeated header in their order. */
  headers: ReadonlyMap<string, readonly string[]>
  body: string
  /** Bytes of the wire that it took. */
  size: number
}

/** The reaction to bytes that were sent: an answer, the end of the connection without one, or nothing in time. */
export type RawReply =
  | { kind: 'answer'; answer: RawAnswer; isOpen: boolean }
  | { kind: 'closed' | 'silent' }
  | { kind: 'nonsense'; problem: string }

const HEAD_END = '\r\n\r\n'
const SILENT_MS = 20_000

/** The first answer in the bytes, or null while it is not whole. Throws where they are no HTTP answer. */
export function readAnswer(bytes: Buffer, { isHead = false, isEnd = false } = {}): RawAnswer | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? Number.NaN)
  if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(statusLine.slice(0, 80))}`)
  const start = headEnd + HEAD_END.length
  if (status < 200) {
    const next = readAnswer(bytes.subarray(start), { isHead, isEnd })
    return next && { ...next, size: next.size + start }
  }
  const headers = readHeaders(lines)
  const isBodiless = isHead || status === 204 || status === 304
  const body = isBodiless ? { text: '', size: 0 } : readBody(bytes.subarray(start), headers, isEnd)
  return body && { status, headers, body: body.text, size: start + body.size }
}

export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.get(name)?.[0]
}

function readHeaders(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new Error(`no header line: ${JSON.stringify(line.slice(0, 80))}`)
    const name = line.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return headers
}

type Body = { text: string; size: number }

function readBody(bytes: Buffer, headers: RawAnswer['headers'], isEnd: boolean): Body | null {
  const length = headers.get('content-length')?.[0]
  if (length !== undefined) {
    const size = Number(length)
    return bytes.length < size ? null : { text: bytes.toString('utf8', 0, size), size }
  }
  if (headers.get('transfer-encoding')?.[0] === 'chunked') return readChunks(bytes)
  return isEnd ? { text: bytes.toString('utf8'), size: bytes.length } : null
}

function readChunks(bytes: Buffer): Body | null {
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return null
    if (size === 0) return { text: Buffer.concat(pieces).toString('utf8'), size: end + 2 }
    pieces.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

/** One connection that carries one exchange after the other. It sends the very bytes that it is given. */
export class RawConnection {
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #isEnded = false
  #look = () => {}

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#look()
    })
    const end = () => {
      this.#isEnded = true
      this.#look()
    }
    this.#socket.on('error', end).on('end', end).on('close', end)
  }

  get isUsable(): boolean {
    return !this.#isEnded && !this.hasLeftovers
  }

  /** More came than the answers that were waited for: where requests were whole, an answer to somebody else. */
  get hasLeftovers(): boolean {
    return this.#received.length > 0
  }

  /** Sends bytes and waits for the answer to them. One exchange at a time. */
  exchange(bytes: Buffer, isHead: boolean): Promise<RawReply> {
    return new Promise((resolve) => {
      const finish = (reply: RawReply) => {
        clearTimeout(timer)
        this.#look = () => {}
        resolve(reply)
      }
      const timer = setTimeout(() => finish({ kind: 'silent' }), SILENT_MS)
      this.#look = () => {
        const reply = this.#next(isHead)
        if (reply) finish(reply)
      }
      this.#socket.write(bytes)
      this.#look()
    })
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #next(isHead: boolean): RawReply | null {
    try {
      const answer = readAnswer(this.#received, { isHead, isEnd: this.#isEnded })
      if (!answer) return this.#isEnded ? { kind: 'closed' } : null
      this.#received = this.#received.subarray(answer.size)
      const isOpen = !this.#isEnded && headerOf(answer, 'connection') !== 'close'
      return { kind: 'answer', answer, isOpen }
    } catch (error) {
      return { kind: 'nonsense', problem: error instanceof Error ? error.message : String(error) }
    }
  }
}
