import { METHODS as PARSED_METHODS } from 'node:http'
import { isJsonObject } from '@svc/contract'
import fc from 'fast-check'
import { INJECTED } from './judge-answer.ts'
import { asBytes, type RawRequest } from './raw.ts'

/** A changed request, and whether its very framing was changed, so that a closed connection may answer it. */
export interface Mutated {
  request: RawRequest
  mutation: string
  isFramingBroken: boolean
}

export type Mutation = (request: RawRequest, queryParameters: readonly string[]) => Mutated

/** Texts that break what is careless with texts. */
const WORDS = `__proto__ constructor prototype toString null undefined NaN true -0 1e400 0x7f 2026-02-30 $1 #{7*7} {{7*7}}
../../../../etc/passwd %00 %2e%2e%2f ..%c0%af \\\\host\\share " or ""=" ' or 1=1 -- '; drop table runtimes; --
<script>alert(1)</script> javascript:alert(1) https://shop.example.com:99999/ http://[::1 ﬃ 👩‍👩‍👧‍👦 \u0130\u0131 \u202e \u2028 \ufeff`
const LINE_ENDS = ['\r\n', '\n', '\r', '\u0085', '%0d%0a'].map((end) => `a${end}${INJECTED}: 1`)
const LONG = ['e\u0301'.repeat(50), 'a'.repeat(9_000), '9'.repeat(400)]
const NAUGHTY = [...WORDS.split(/\s+/), ...LINE_ENDS, ...LONG, '', ' ', '\u0000', 'a\u0000b', '\ud800', 'x\udfff']
const naughty = fc.constantFrom(...NAUGHTY)
const value = fc.oneof(
  naughty,
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.constantFrom<unknown>(0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, null, [], {}),
)
const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'prototype'), naughty)
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((drawn) => Buffer.from(drawn))

/** Where in a value something changes: a share of the children at each level. */
const place = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 4 })

/** A copy with one thing in it, at a drawn depth, replaced, taken out or put in. */
function changed(
  old: unknown,
  [share = 0, ...deeper]: readonly number[],
  how: 'replace' | 'remove' | 'add',
  to: unknown,
  key: string,
): unknown {
  if (!isJsonObject(old) && !Array.isArray(old)) return to
  const entries = Object.entries(old)
  const index = Math.floor(share * entries.length)
  const isHere = deeper.length === 0 || entries.length === 0
  const next = entries.flatMap(([entryName, inner], at): [string, unknown][] => {
    if (at !== index) return [[entryName, inner]]
    if (!isHere) return [[entryName, changed(inner, deeper, how, to, key)]]
    return how === 'remove' ? [] : [[entryName, how === 'replace' ? to : inner]]
  })
  if (isHere && how === 'add') next.push([key, to])
  return Array.isArray(old) ? next.map(([, inner]) => inner) : Object.fromEntries(next)
}

const fields = fc
  .tuple(place, fc.constantFrom('replace', 'replace', 'remove', 'add'), value, name)
  .map(([at, how, to, key]) => (request: RawRequest) => {
    const text = request.body?.toString() ?? '{}'
    // A form has its fields in its bytes.
    if (!text.startsWith('{')) return withBody(request, Buffer.from(`${text}&${new URLSearchParams([[key, '1']])}`))
    return withBody(request, Buffer.from(JSON.stringify(changed(JSON.parse(text), at, how, to, key)) ?? ''))
  })

const spliced = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(8), bytes(6))
  .map(([share, cut, put]) => (request: RawRequest) => {
    const old = request.body ?? Buffer.from('{}')
    const at = Math.floor(share * old.length)
    return withBody(request, Buffer.concat([old.subarray(0, at), put, old.subarray(at + cut)]))
  })

/** JSON text that a parser takes and later code should not; or that a parser should not take either. */
const LEVELS = [33, 200, 5_000, 100_000]
const SMALL_TEXTS = `{"n":1e9999} {"a":1,"a":2} {"__proto__":{"polluted":true}} {"\\u005f_proto__":{"polluted":true}}
{"constructor":{"prototype":{"polluted":true}}} {"a":"\\ud800"} {"a":"\\u0000"} \ufeff{} {"a":1}} {"a":01} {'a':1}
{"a":NaN} /**/{} null "text" 7 []`
const TEXTS = [
  ...LEVELS.map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
  ...LEVELS.map((levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`),
  `[${'0,'.repeat(60_000)}0]`,
  `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":${index}`).join()}}`,
  ...[`{"n":${'9'.repeat(5_000)}}`, '', ' '.repeat(3_000), ...SMALL_TEXTS.split(/[ \n]/)],
]
const text = fc.constantFrom(...TEXTS).map((drawn) => (request: RawRequest) => withBody(request, Buffer.from(drawn)))

const TYPES = `application/json;|application/json\t| application/json|application/json ; charset=utf-8|;|/|a/b||text/plain
application/json; charset=utf-16|application/json;;;;|application/json, text/plain|APPLICATION/JSON|application/JSON; a="
application/json\u00a0|application/vnd.api+json|multipart/form-data; boundary=x|application/x-www-form-urlencoded`
const type = fc
  .constantFrom(...TYPES.split(/[|\n]/), 'x'.repeat(4_000))
  .map((drawn) => (request: RawRequest): RawRequest => {
    const body = request.body ?? Buffer.from('{}')
    return { ...request, body, headers: [...without(request, 'content-type'), ['content-type', drawn]] }
  })

const HEADERS =
  'authorization origin accept x-request-id if-none-match content-encoding idempotency-key host cookie traceparent tracestate x-forwarded-for forwarded x-forwarded-host expect range te x-http-method-override accept-encoding referer sec-fetch-site access-control-request-headers x-original-url __proto__ constructor'
// Line ends and NUL belong to the framing.
const headerValue = fc
  .oneof(
    naughty.map(asBytes),
    bytes(80).map((drawn) => drawn.toString('latin1')),
  )
  .map((drawn) => Array.from(drawn, (one) => (one < ' ' || one === '\u007f' ? '.' : one)).join(''))
const header = fc.tuple(fc.constantFrom(...HEADERS.split(' ')), headerValue, fc.boolean())
const headers = fc
  .tuple(fc.array(header, { minLength: 1, maxLength: 4 }), fc.nat(19))
  .map(([drawn, many]) => (request: RawRequest) => {
    const kept = request.headers.filter(([old]) => !drawn.some(([added, , replaces]) => replaces && added === old))
    const flood = many === 0 ? Array.from({ length: 150 }, (_, index) => [`x-${index}`, 'y'] as const) : []
    return { ...request, headers: [...kept, ...drawn.map(([added, to]) => [added, to] as const), ...flood] }
  })

/** A word of an address: escaped as it should be, half escaped, or broken. */
const word = fc.oneof(
  { arbitrary: fc.oneof(naughty, fc.string({ unit: 'binary', maxLength: 12 })).map(escaped), weight: 8 },
  { arbitrary: naughty.map((drawn) => escaped(drawn).slice(0, -1)), weight: 1 },
  { arbitrary: fc.constantFrom('%', '%zz', '%e0%a4', '%c0%80', '%ff', '%u0041', '+', '%0d%0a'), weight: 1 },
)
const pair = fc.tuple(fc.nat(), fc.nat(4), word, word)
const query = fc
  .tuple(fc.array(pair, { minLength: 1, maxLength: 4 }), fc.nat(30))
  .map(([pairs, many]) => (request: RawRequest, known: readonly string[]) => {
    const keyOf = (index: number, other: number, key: string) =>
      other === 0 ? key : (known[index % known.length] ?? key)
    const drawn = pairs.map(([index, other, key, to]) => `${keyOf(index, other, key)}=${to}`)
    return { ...request, target: `${request.target}?${drawn.join('&')}${many === 0 ? `&${'a=b&'.repeat(2_000)}` : ''}` }
  })

const path = fc.tuple(word, fc.nat(), fc.nat(9)).map(([drawn, at, how]) => (request: RawRequest) => {
  const { target } = request
  const parts = target.split('/')
  const index = 1 + (at % Math.max(1, parts.length - 1))
  const changes = [
    parts.with(Math.min(index, parts.length - 1), drawn).join('/'),
    ...[`${target}/`, `/${target}`, target.toUpperCase(), parts.toSpliced(index, 0, '..', '.').join('/')],
    ...[`${target}/${drawn}`, `${target};a=b`, `http://127.0.0.1${target}`, `${target}#fragment`],
    `${target}/${'a'.repeat(12_000)}`,
  ]
  return { ...request, target: changes[how] ?? target }
})

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND QUERY get FOO G\u00c9T PURGE M-SEARCH'
const method = fc
  .constantFrom(...METHODS.split(' '))
  .map((drawn) => (request: RawRequest) => ({ ...request, method: drawn }))

const framing = fc.tuple(fc.nat(18), bytes(12)).map(([how, drawn]) => (request: RawRequest): RawRequest => {
  const body = request.body ?? Buffer.from('{}')
  const short = String(Math.max(0, body.length - 1))
  const adding = (...added: (readonly [string, string])[]) => ({
    ...request,
    body,
    headers: [...request.headers, ...added],
  })
  const chunked = ['transfer-encoding', 'chunked'] as const
  const changes: RawRequest[] = [
    ...[short, '-1', '1e3'].map((length) => adding(['content-length', length])),
    adding(['content-length', short], ['content-length', '7']),
    adding(['content-length', short], chunked),
    { ...adding(chunked), body: Buffer.from('zz\r\n\r\n') },
    { ...adding(['transfer-encoding', 'gzip, chunked']), body: Buffer.from('0\r\n\r\n') },
    { ...request, headers: without(request, 'host') },
    ...(['host', 'x', 'x', 'x', 'x y', ''] as const).map((key, index) =>
      adding([key, ['other.example', 'y'.repeat(20_000), 'a\r\nb: c\r\n d', 'a\u0000b', 'z', 'z'][index] ?? '']),
    ),
    adding(['upgrade', 'websocket'], ['connection', 'upgrade']),
    ...[`${request.target} HTTP/9.9\r\nx: y`, `/${'a'.repeat(17_000)}`, '*'].map((target) => ({ ...request, target })),
    { ...request, method: drawn.toString('latin1') },
  ]
  return changes[how] ?? request
})

type Change = (request: RawRequest, known: readonly string[]) => RawRequest

const toMutation =
  (mutation: string) =>
  (change: Change): Mutation =>
  (request, known) => {
    const made = change(request, known)
    // Node's parser refuses these, or hands them to no route.
    const isForNoRoute = made.method === 'CONNECT' || !PARSED_METHODS.includes(made.method)
    return { request: made, mutation, isFramingBroken: mutation === 'framing' || isForNoRoute }
  }

export const unchanged = toMutation('none')((request) => request)

const KINDS: Readonly<Record<string, readonly [number, fc.Arbitrary<Change>]>> = {
  none: [1, fc.constant((request) => request)],
  fields: [4, fields],
  bytes: [2, spliced],
  text: [1, text],
  type: [1, type],
  headers: [2, headers],
  query: [2, query],
  path: [2, path],
  method: [1, method],
  framing: [1, framing],
}

/** Changes of a good request, each in one way. */
export const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  ...Object.entries(KINDS).map(([kind, [weight, change]]) => ({ weight, arbitrary: change.map(toMutation(kind)) })),
)

function withBody(request: RawRequest, body: Buffer): RawRequest {
  const hasType = request.headers.some(([key]) => key === 'content-type')
  return {
    ...request,
    body,
    headers: hasType ? request.headers : [...request.headers, ['content-type', 'application/json']],
  }
}

function without(request: RawRequest, key: string): RawRequest['headers'] {
  return request.headers.filter(([other]) => other !== key)
}

function escaped(drawn: string): string {
  return Array.from(Buffer.from(drawn), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
