import { createHash, createHmac } from 'node:crypto'
import type { ReceiverRefusal, SIGNATURE_HEADERS } from '@svc/contract'
import type { Random } from './seeded-random.ts'

/** A call as it goes over the wire; a header that stands twice is two entries. */
export interface SentCall {
  readonly runtimeId: readonly string[]
  readonly timestamp: readonly string[]
  readonly nonce: readonly string[]
  readonly signature: readonly string[]
  readonly body: Uint8Array<ArrayBuffer>
  /** What it was signed with. It is not sent. */
  readonly secret: string
}

/** One way to tamper with a signed call, and how a receiver may refuse what comes out. */
export interface Mutation {
  readonly kind: string
  readonly refusals: readonly ReceiverRefusal[]
  mutate(call: SentCall, random: Random, others: readonly SentCall[]): SentCall
}

type Field = keyof typeof SIGNATURE_HEADERS
const FIELDS: readonly Field[] = ['runtimeId', 'timestamp', 'nonce', 'signature']

export const one = (values: readonly string[]): string => values[0] ?? ''

const ENVELOPE: readonly ReceiverRefusal[] = [
  ...(['missing_headers', 'runtime_mismatch', 'timestamp_invalid', 'timestamp_outside_tolerance'] as const),
  'signature_mismatch',
]

function rule(kind: string, refusals: readonly ReceiverRefusal[], mutate: Mutation['mutate']): Mutation {
  return { kind, refusals, mutate }
}

/** Mutations of one field: each rewrites its text. */
function ofField(field: Field, refusals: readonly ReceiverRefusal[], rewrites: Record<string, Rewrite>): Mutation[] {
  return Object.entries(rewrites).map(([kind, rewrite]) =>
    rule(`${field}: ${kind}`, refusals, (call, random) => ({ ...call, [field]: [rewrite(one(call[field]), random)] })),
  )
}

type Rewrite = (text: string, random: Random) => string

const EDITS: Record<string, Rewrite> = {
  'a character replaced': (text, random) => spliced(text, random, 1, latin1(random)),
  'a character dropped': (text, random) => spliced(text, random, 1, ''),
  'a character added': (text, random) => spliced(text, random, 0, latin1(random)),
  'a bit flipped': (text, random) => {
    const at = random.int(text.length)
    const flipped = text.charCodeAt(at) ^ (1 << random.int(6))
    return text.slice(0, at) + String.fromCharCode(Math.max(flipped, 0x20)) + text.slice(at + 1)
  },
  'something else': (_text, random) => Array.from({ length: 1 + random.int(80) }, () => latin1(random)).join(''),
  doubled: (text) => text + text,
  'after a comma': (text, random) => `${latin1(random)}, ${text}`,
}

const bodies: Record<string, (body: Uint8Array<ArrayBuffer>, random: Random) => Uint8Array<ArrayBuffer>> = {
  'a bit flipped': (body, random) => {
    const copy = body.slice()
    const at = random.int(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << random.int(8))
    return copy
  },
  'bytes replaced, dropped or added': (body, random) => {
    const at = random.int(body.length + 1)
    const added = Array.from({ length: random.int(4) }, () => random.int(256))
    return Uint8Array.from([...body.slice(0, at), ...added, ...body.slice(at + random.int(4))])
  },
  'cut off': (body, random) => body.slice(0, random.int(body.length)),
  emptied: () => new Uint8Array(),
  'sent twice': (body) => Uint8Array.from([...body, ...body]),
  'white space around it': (body, random) => textBytes(random.pick([' ', '\n', '\r\n', '\t', '\u{feff}']) + text(body)),
  'white space after it': (body, random) => textBytes(text(body) + random.pick([' ', '\n', '\r\n', '\0'])),
  'written otherwise, the same JSON': (body) => textBytes(JSON.stringify(JSON.parse(text(body)), null, 1)),
  'its fields in another order': (body) =>
    textBytes(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text(body))).reverse()))),
  'a letter escaped, the same JSON': (body) => textBytes(text(body).replace('"capability"', '"\\u0063apability"')),
  'a field added that wins': (body) => textBytes(text(body).replace(/\}$/, ',"input":{"amount":1000000}}')),
}

const SIGNATURES: Record<string, Rewrite> = {
  'in upper case': (text) => text.toUpperCase(),
  'one letter in upper case': (text) => text.replace(/[a-f]/, (letter) => letter.toUpperCase()),
  'cut off': (text, random) => text.slice(0, random.int(64)),
  'half of it': (text) => text.slice(32),
  'as base64': (text) => Buffer.from(text, 'hex').toString('base64'),
  'as raw bytes': (text) =>
    Buffer.from(text, 'hex')
      .toString('latin1')
      .replaceAll(/[\0\r\n]/g, 'x'),
  'a mark in front': (text, random) => random.pick(['0x', 'sha256=', 'v1=', '=', '"']) + text,
  'all one digit': (_text, random) => random.int(16).toString(16).repeat(64),
  'two digits swapped': (text, random) => {
    const at = random.int(63)
    return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2)
  },
}

const TIMESTAMP_FORMS: Record<string, Rewrite> = {
  'in seconds': (text) => text.slice(0, 10),
  'with a zero in front': (text) => `0${text}`,
  'with a sign': (text, random) => random.pick(['+', '-']) + text,
  'negative with thirteen characters': (text) => `-${text.slice(1)}`,
  'with a fraction': (text) => `${text}.0`,
  'with an exponent': (text) => Number(text).toExponential(),
  hexadecimal: (text) => `0x${Number(text).toString(16)}`,
  'with a separator': (text, random) =>
    text.slice(0, 4) + random.pick(['_', ',', ' ', '.', "'", '\u00a0']) + text.slice(4),
  'with a digit of another script': (text, random) => {
    const at = random.int(13)
    return text.slice(0, at) + random.pick(['²', '³', '¹', '¼', 'l', 'O']) + text.slice(at + 1)
  },
  'no number': (_text, random) =>
    random.pick(['NaN', 'Infinity', 'now', 'null', '0', '-1', '1e13', '{}', '0000000000000n']),
  'a date': (text) => new Date(Number(text)).toISOString(),
  'said twice': (text) => `${text}${text}`,
}

const SECRETS: Record<string, Rewrite> = {
  'a prefix of it': (secret, random) => secret.slice(0, 1 + random.int(secret.length - 1)),
  'a character more': (secret) => `${secret}A`,
  'a space after it': (secret) => `${secret} `,
  'decoded bytes': (secret) => Buffer.from(secret, 'base64url').toString('latin1'),
  'in lower case': (secret) => secret.toLowerCase(),
  nothing: () => '',
  'the public runtime id': () => 'rt_shop0001',
  'a repeated one': (secret) => secret + secret,
}

/** Every way to tamper that the suite knows. */
export const MUTATIONS: readonly Mutation[] = [
  ...Object.entries(bodies).map(([kind, edit]) =>
    rule(`body: ${kind}`, ['signature_mismatch'], (call, random) => ({ ...call, body: edit(call.body, random) })),
  ),
  ...FIELDS.flatMap((field) => ofField(field, ENVELOPE, EDITS)),
  ...ofField('signature', ['signature_mismatch', 'missing_headers'], SIGNATURES),
  ...ofField('timestamp', ['timestamp_invalid'], TIMESTAMP_FORMS),
  ...Object.entries(SECRETS).map(([kind, change]) =>
    rule(`signed with another secret: ${kind}`, ['signature_mismatch'], (call, random) =>
      resigned(call, { secret: change(call.secret, random) }),
    ),
  ),
  ...Object.entries(TIMESTAMP_FORMS).map(([kind, change]) =>
    rule(`signed truly, timestamp ${kind}`, ['timestamp_invalid'], (call, random) =>
      resigned({ ...call, timestamp: [change(one(call.timestamp), random)] }, {}),
    ),
  ),
  rule('signed truly, too early or too late', ['timestamp_outside_tolerance'], (call, random) => {
    const awayMs = random.pick([-1, 1]) * (600_001 + random.int(1_000_000_000))
    return resigned({ ...call, timestamp: [String(Number(one(call.timestamp)) + awayMs)] }, {})
  }),
  rule('signed truly, for another runtime', ['runtime_mismatch'], (call, random) =>
    resigned(
      { ...call, runtimeId: [random.pick(['rt_shop0002', 'rt_SHOP0001', 'rt_shop', '*', 'rt_shop0001,rt_x'])] },
      {},
    ),
  ),
  rule('the digest in upper case, signed', ['signature_mismatch'], (call) =>
    resigned(call, { digest: hex(call.body).toUpperCase() }),
  ),
  rule('the body in place of its digest, signed', ['signature_mismatch'], (call) =>
    resigned(call, { digest: text(call.body) }),
  ),
  rule('without the dots, signed', ['signature_mismatch'], (call) => resigned(call, { separator: '' })),
  rule('timestamp: a millisecond moved', ['signature_mismatch'], (call, random) => ({
    ...call,
    timestamp: [String(Number(one(call.timestamp)) + random.pick([-1, 1]) * (1 + random.int(1_000)))],
  })),
  rule('a header dropped', ['missing_headers'], (call, random) => ({ ...call, [random.pick(FIELDS)]: [] })),
  rule('a header emptied', ['missing_headers'], (call, random) => ({
    ...call,
    [random.pick(FIELDS)]: [random.pick(['', ' ', '\t'])],
  })),
  rule('a header twice', ENVELOPE, (call, random) => {
    const field = random.pick(FIELDS)
    return { ...call, [field]: [one(call[field]), one(call[field])] }
  }),
  rule('a header twice, the other of another call', ENVELOPE, (call, random, others) => {
    const field = random.pick(FIELDS)
    const pair = [one(call[field]), one(random.pick(others)[field])]
    return { ...call, [field]: random.int(2) === 0 ? pair : pair.reverse() }
  }),
  rule('two headers swapped', ENVELOPE, (call, random) => {
    const [left, right] = [random.pick(FIELDS), random.pick(FIELDS)]
    return { ...call, [left]: call[right], [right]: call[left] }
  }),
  ...(['timestamp', 'nonce', 'signature', 'body'] as const).map((field) =>
    rule(`${field} of another call`, ['signature_mismatch'], (call, random, others) => ({
      ...call,
      [field]: random.pick(others)[field],
    })),
  ),
  rule('pieced together from five calls', ['signature_mismatch'], (call, random, others) => {
    const { timestamp } = random.pick(others)
    const { nonce } = random.pick(others)
    return { ...call, timestamp, nonce, body: random.pick(others).body, signature: random.pick(others).signature }
  }),
]

/** The call as it reads on the wire, for comparing: what is the same here is the same to a receiver. */
export function wireForm(call: SentCall): string {
  return JSON.stringify([FIELDS.map((field) => call[field].map((value) => value.trim()).join(', ')), hex(call.body)])
}

/** Signs a call over again; written apart from the package’s own signing. */
export function resigned(call: SentCall, how: { secret?: string; digest?: string; separator?: string }): SentCall {
  const { secret = call.secret, digest = hex(call.body), separator = '.' } = how
  const parts = [one(call.runtimeId), one(call.timestamp), one(call.nonce), digest]
  return { ...call, signature: [createHmac('sha256', secret).update(parts.join(separator)).digest('hex')] }
}

function hex(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}

function spliced(text: string, random: Random, removed: number, added: string): string {
  const at = random.int(text.length)
  return text.slice(0, at) + added + text.slice(at + removed)
}

// What a header may carry: printable Latin-1.
function latin1(random: Random): string {
  return String.fromCharCode(random.int(2) === 0 ? 0x21 + random.int(94) : 0xa1 + random.int(95))
}

function text(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}

function textBytes(words: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(words)
}
