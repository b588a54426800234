import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'

/** Addresses for a name, of either kind; the server answers those of the kind that was asked for. */
export type AnswerName = (name: string, kind: 'A' | 'AAAA') => readonly string[]

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }
const CLASS_IN = 1
const HEADER_BYTES = 12
const POINTER_TO_QUESTION = 0xc00c

export interface NameServerOptions {
  /** On 127.0.0.1; 0, the default, takes any free one. */
  port?: number
  /** How long its answers are good for. */
  ttlSeconds?: number
}

/** A name server on 127.0.0.1 that knows what it is told. */
export async function startNameServer(answerName: AnswerName, { port = 0, ttlSeconds = 0 }: NameServerOptions = {}) {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    socket.send(answerQuery(query, answerName, ttlSeconds), from.port, from.address)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, '127.0.0.1', resolve)
  })
  return { port: socket.address().port, close: () => void socket.close() }
}

/** The answer to one query; without addresses it says that there are none of the kind. */
function answerQuery(query: Buffer, answerName: AnswerName, ttlSeconds: number): Buffer {
  const { name, end } = readName(query)
  const kind = TYPES[query.readUInt16BE(end)]
  const addresses =
    kind === undefined ? [] : answerName(name.toLowerCase(), kind).filter((one) => isIPv4(one) === (kind === 'A'))
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8580, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([
    header,
    query.subarray(HEADER_BYTES, end + 4),
    ...addresses.map((address) => toRecord(address, ttlSeconds)),
  ])
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}

function toRecord(address: string, ttlSeconds: number): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : bytesOfV6(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(POINTER_TO_QUESTION, 0)
  head.writeUInt16BE(bytes.length === 4 ? 1 : 28, 2)
  head.writeUInt16BE(CLASS_IN, 4)
  head.writeUInt32BE(ttlSeconds, 6)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}

function bytesOfV6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [front, back] = [groups(before), groups(after)]
  const middle = Array.from({ length: 8 - front.length - back.length }, () => 0)
  return Buffer.from([...front, ...middle, ...back].flatMap((group) => [group >> 8, group & 255]))
}
