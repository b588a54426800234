import { METHODS as PARSED_METHODS } from 'node:http'
import { isJsonObject } from '@svc/contract'
import type { Random } from '../../support/random.ts'
import { drawText, drawValue, NAUGHTY_TEXTS, PROTOTYPE_KEYS } from '../support/naughty.ts'
import { asBytes, type RawRequest } from '../support/raw-request.ts'

/** What was done to a good request. */
export type Mutation =
  | 'none'
  | 'fields'
  | 'bytes'
  | 'text'
  | 'type'
  | 'headers'
  | 'query'
  | 'path'
  | 'method'
  | 'framing'

/** A request that was changed, and whether its very framing was, so that a bare end of the connection may answer it. */
export interface Mutated {
  request: RawRequest
  mutation: Mutation
  isFramingBroken: boolean
}

type Change = (request: RawRequest, random: Random, queryParameters: readonly string[]) => RawRequest

const CHANGES: Readonly<Record<Exclude<Mutation, 'none'>, Change>> = {
  fields: (request, random) => withBody(request, changeFields(request.body, random)),
  bytes: (request, random) => withBody(request, changeBytes(request.body ?? Buffer.from('{}'), random)),
  text: (request, random) => withBody(request, Buffer.from(drawText(random))),
  type: changeType,
  headers: changeHeaders,
  query: changeQuery,
  path: changePath,
  method: (request, random) => ({ ...request, method: random.pick(METHODS) }),
  framing: changeFraming,
}

const WITH_BODY: readonly [Mutation, ...Mutation[]] = [
  'none',
  'fields',
  'fields',
  'fields',
  'fields',
  'bytes',
  'bytes',
  'text',
  'type',
  'headers',
  'headers',
  'query',
  'path',
  'method',
  'framing',
]
const WITHOUT_BODY: readonly [Mutation, ...Mutation[]] = [
  'none',
  'text',
  'type',
  'headers',
  'headers',
  'query',
  'query',
  'query',
  'path',
  'path',
  'method',
  'framing',
]

/** Changes a good request in one way that is drawn. */
export function mutate(request: RawRequest, random: Random, queryParameters: readonly string[]): Mutated {
  const mutation = random.pick(request.body === null ? WITHOUT_BODY : WITH_BODY)
  const changed = mutation === 'none' ? request : CHANGES[mutation](request, random, queryParameters)
  return { request: changed, mutation, isFramingBroken: mutation === 'framing' || isForNoRoute(changed.method) }
}

/** The request as it is. */
export function unchanged(request: RawRequest): Mutated {
  return { request, mutation: 'none', isFramingBroken: false }
}

/** What Node's parser refuses, or hands to nobody: no route has a say in these. */
function isForNoRoute(method: string): boolean {
  return method === 'CONNECT' || !PARSED_METHODS.includes(method)
}

function withBody(request: RawRequest, body: Buffer): RawRequest {
  const hasType = request.headers.some(([name]) => name === 'content-type')
  const headers = hasType ? request.headers : withHeader(request.headers, 'content-type', 'application/json')
  return { ...request, body, headers }
}

function withHeader(headers: RawRequest['headers'], name: string, value: string): RawRequest['headers'] {
  return [...headers.filter(([other]) => other !== name), [name, value]]
}

function changeFields(body: Buffer | null, random: Random): Buffer {
  const text = body?.toString() ?? '{}'
  // A form has its fields in its bytes.
  if (!text.startsWith('{')) return changeBytes(Buffer.from(text), random)
  let value: unknown = JSON.parse(text)
  for (let changes = random.int(1, 3); changes > 0; changes -= 1) value = changeOne(value, random)
  return Buffer.from(JSON.stringify(value) ?? '')
}

/** A copy with one thing in it, at any depth, replaced, taken out or put in. */
function changeOne(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return changeList(value, random)
  if (!isJsonObject(value)) return drawValue(random)
  const entries = Object.entries(value)
  if (entries.length === 0 || random.chance(0.25)) return Object.fromEntries([...entries, drawEntry(random)])
  const at = random.int(0, entries.length - 1)
  if (random.chance(0.15)) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(
    entries.map(([name, inner], index) => [name, index === at ? changeInner(inner, random) : inner]),
  )
}

function changeList(list: readonly unknown[], random: Random): unknown[] {
  if (list.length === 0 || random.chance(0.2)) return [...list, drawValue(random)]
  const at = random.int(0, list.length - 1)
  return list.map((item, index) => (index === at ? changeInner(item, random) : item))
}

function changeInner(value: unknown, random: Random): unknown {
  const isLeaf = !Array.isArray(value) && !isJsonObject(value)
  return isLeaf || random.chance(0.2) ? drawValue(random) : changeOne(value, random)
}

function drawEntry(random: Random): [string, unknown] {
  const name = random.chance(0.5) ? random.pick(PROTOTYPE_KEYS) : random.pick(NAUGHTY_TEXTS)
  return [name, random.chance(0.3) ? { polluted: true } : drawValue(random)]
}

function changeBytes(body: Buffer, random: Random): Buffer {
  let bytes = body
  for (let changes = random.int(1, 4); changes > 0; changes -= 1) {
    const at = random.int(0, bytes.length)
    const rest = bytes.subarray(Math.min(bytes.length, at + random.int(0, 8)))
    bytes = Buffer.concat([bytes.subarray(0, at), random.bytes(random.int(0, 6)), rest])
  }
  return bytes
}

const TYPES: readonly [string, ...string[]] = [
  'application/json;',
  'application/json\t',
  ' application/json',
  '\tapplication/json',
  'application/json ; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;;;;',
  'application/json, text/plain',
  'APPLICATION/JSON',
  'application/json\u00a0',
  'application/JSON; a="',
  'application/vnd.api+json',
  'text/plain',
  'text/plain; application/json',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '',
  ';',
  '/',
  'a/b',
  'x'.repeat(4_000),
]

function changeType(request: RawRequest, random: Random): RawRequest {
  const body = request.body ?? Buffer.from('{}')
  return { ...request, body, headers: withHeader(request.headers, 'content-type', random.pick(TYPES)) }
}

const HEADER_NAMES: readonly [string, ...string[]] = [
  'authorization',
  'origin',
  'accept',
  'x-request-id',
  'if-none-match',
  'content-encoding',
  'idempotency-key',
  'host',
  'cookie',
  'traceparent',
  'tracestate',
  'x-forwarded-for',
  'forwarded',
  'x-forwarded-host',
  'expect',
  'range',
  'te',
  'x-http-method-override',
  'accept-encoding',
  'referer',
  'sec-fetch-site',
  'access-control-request-headers',
  'x-original-url',
  '__proto__',
  'constructor',
]

function changeHeaders(request: RawRequest, random: Random): RawRequest {
  let { headers } = request
  for (let changes = random.int(1, 4); changes > 0; changes -= 1) {
    const name = random.pick(HEADER_NAMES)
    const added: readonly [string, string] = [name, drawHeaderValue(random)]
    headers = random.chance(0.5) ? [...headers, added] : [...headers.filter(([other]) => other !== name), added]
  }
  if (random.chance(0.05)) headers = [...headers, ...Array.from({ length: 150 }, (_, at) => [`x-${at}`, 'y'] as const)]
  return { ...request, headers }
}

// No line ends and no NUL: those belong to the framing.
function drawHeaderValue(random: Random): string {
  const drawn = random.chance(0.5)
    ? asBytes(random.pick(NAUGHTY_TEXTS))
    : random.bytes(random.int(0, 80)).toString('latin1')
  return Array.from(drawn, (character) => (isControl(character) ? '.' : character)).join('')
}

function isControl(character: string): boolean {
  return character !== '\t' && (character < ' ' || character === '\u007f')
}

function changeQuery(request: RawRequest, random: Random, known: readonly string[]): RawRequest {
  const pairs = Array.from({ length: random.int(1, 4) }, () => {
    const name = known.length > 0 && random.chance(0.8) ? known[random.int(0, known.length - 1)] : drawWord(random)
    return random.chance(0.1) ? `${name}` : `${name}=${drawWord(random)}`
  })
  const more = random.chance(0.03) ? `&${'a=b&'.repeat(2_000)}` : ''
  return { ...request, target: `${request.target}?${pairs.join('&')}${more}` }
}

const METHODS: readonly [string, ...string[]] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'get',
  'FOO',
  'G\u00c9T',
  'PURGE',
  'M-SEARCH',
]

function changePath(request: RawRequest, random: Random): RawRequest {
  const parts = request.target.split('/')
  const at = random.int(1, parts.length - 1)
  const changes: readonly [() => string, ...(() => string)[]] = [
    () => parts.with(at, drawWord(random)).join('/'),
    () => parts.with(at, drawWord(random)).join('/'),
    () => `${request.target}/`,
    () => `/${request.target}`,
    () => request.target.toUpperCase(),
    () => parts.toSpliced(at, 0, '..', '.').join('/'),
    () => `${request.target}/${drawWord(random)}`,
    () => `${request.target};a=b`,
    () => `http://127.0.0.1${request.target}`,
    () => `${request.target}#fragment`,
    () => `${request.target}/${'a'.repeat(random.pick([1_000, 12_000]))}`,
  ]
  return { ...request, target: random.pick(changes)() }
}

/** A word of an address: escaped as it should be, half escaped, or not. */
function drawWord(random: Random): string {
  const text = random.chance(0.7) ? random.pick(NAUGHTY_TEXTS) : random.bytes(random.int(1, 12)).toString('latin1')
  const escaped = Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  if (random.chance(0.1)) return random.pick(['%', '%zz', '%e0%a4', '%c0%80', '%ff', '%u0041', '+', '%0d%0a'])
  return random.chance(0.8) ? escaped : escaped.slice(0, -1)
}

function changeFraming(request: RawRequest, random: Random): RawRequest {
  const body = request.body ?? Buffer.from('{}')
  const good = request.headers
  const short = String(Math.max(0, body.length - 1))
  const changes: readonly [() => RawRequest, ...(() => RawRequest)[]] = [
    () => ({ ...request, body, headers: [...good, ['content-length', short]] }),
    () => ({ ...request, body, headers: [...good, ['content-length', '-1']] }),
    () => ({ ...request, body, headers: [...good, ['content-length', '1e3']] }),
    () => ({ ...request, body, headers: [...good, ['content-length', short], ['content-length', '7']] }),
    () => ({ ...request, body, headers: [...good, ['content-length', short], ['transfer-encoding', 'chunked']] }),
    () => ({ ...request, body: Buffer.from('zz\r\n\r\n'), headers: [...good, ['transfer-encoding', 'chunked']] }),
    () => ({ ...request, body: Buffer.from('0\r\n\r\n'), headers: [...good, ['transfer-encoding', 'gzip, chunked']] }),
    () => ({ ...request, headers: good.filter(([name]) => name !== 'host') }),
    () => ({ ...request, headers: [...good, ['host', 'other.example']] }),
    () => ({ ...request, headers: [...good, ['x', 'y'.repeat(20_000)]] }),
    () => ({ ...request, headers: [...good, ['x', 'a\r\nb: c\r\n d']] }),
    () => ({ ...request, headers: [...good, ['x', 'a\u0000b']] }),
    () => ({ ...request, headers: [...good, ['x y', 'z']] }),
    () => ({ ...request, headers: [...good, ['', 'z']] }),
    () => ({ ...request, headers: [...good, ['upgrade', 'websocket'], ['connection', 'upgrade']] }),
    () => ({ ...request, target: `${request.target} HTTP/9.9\r\nx: y` }),
    () => ({ ...request, target: `/${'a'.repeat(17_000)}` }),
    () => ({ ...request, target: '*' }),
    () => ({ ...request, target: '' }),
    () => ({ ...request, method: random.bytes(12).toString('latin1') }),
  ]
  return random.pick(changes)()
}
