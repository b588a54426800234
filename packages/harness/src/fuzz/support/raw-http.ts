/** An answer as it stood on the wire. */
export interface RawAnswer {
  status: number
  /** By name in lower case; the values of a repeated header in their order. */
  headers: ReadonlyMap<string, readonly string[]>
  body: string
  /** Bytes of the wire that it took. */
  size: number
}

const HEAD_END = '\r\n\r\n'
const BODILESS = new Set([204, 304])

/**
 * The first answer in what came over a connection, or null while it is not whole. `isEnd` says that nothing more comes.
 * Throws where the bytes are no HTTP answer.
 */
export function readAnswer(bytes: Buffer, { isHead = false, isEnd = false } = {}): RawAnswer | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? Number.NaN)
  if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(statusLine.slice(0, 80))}`)
  const start = headEnd + HEAD_END.length
  if (status < 200) return withOffset(readAnswer(bytes.subarray(start), { isHead, isEnd }), start)
  const headers = readHeaders(lines)
  const body = isHead || BODILESS.has(status) ? { text: '', size: 0 } : readBody(bytes.subarray(start), headers, isEnd)
  return body && { status, headers, body: body.text, size: start + body.size }
}

/** The one value of a header; undefined where there is none. */
export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.get(name)?.[0]
}

function withOffset(answer: RawAnswer | null, offset: number): RawAnswer | null {
  return answer && { ...answer, size: answer.size + offset }
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

interface Body {
  text: string
  size: number
}

function readBody(bytes: Buffer, headers: ReadonlyMap<string, readonly string[]>, isEnd: boolean): Body | null {
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
