import { readFileSync } from 'node:fs'
import { SIGNATURE_HEADERS } from '@svc/contract'
import { createMemoryNonceStore, type Receiver, verifySignature } from '@svc/sdk'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { bytesOf, fakeClock, NOW, RUNTIME_ID, SECRET, signatureHeaders } from '../support/signed-calls.ts'

const Vectors = z.array(
  z.object({
    name: z.string(),
    secret: z.string(),
    runtimeId: z.string(),
    timestamp: z.string(),
    nonce: z.string(),
    body: z.string().optional(),
    bodyBase64: z.string().optional(),
    signature: z.string(),
  }),
)
type Vector = z.infer<typeof Vectors>[number]

const vectors = Vectors.parse(
  JSON.parse(readFileSync(new URL('../../../contract/vectors/signing.json', import.meta.url), 'utf8')),
)

const HEADER_OF = {
  runtimeId: SIGNATURE_HEADERS.runtimeId,
  timestamp: SIGNATURE_HEADERS.timestamp,
  nonce: SIGNATURE_HEADERS.nonce,
  signature: SIGNATURE_HEADERS.signature,
}
type Signed = keyof typeof HEADER_OF
const SIGNED: readonly Signed[] = ['runtimeId', 'timestamp', 'nonce', 'signature']

function verdictOn(vector: Vector, changes: { headers?: Partial<Record<Signed, string>>; body?: Uint8Array } = {}) {
  const clock = fakeClock(Number(vector.timestamp))
  const receiver = {
    runtimeId: vector.runtimeId,
    secret: vector.secret,
    nonceStore: createMemoryNonceStore({ clock }),
    clock,
  }
  const headers = new Headers()
  for (const field of SIGNED) headers.set(HEADER_OF[field], changes.headers?.[field] ?? vector[field])
  return verifySignature(receiver, { headers, body: changes.body ?? bodyOf(vector) })
}

function bodyOf(vector: Vector): Uint8Array {
  return vector.bodyBase64 === undefined ? bytesOf(vector.body ?? '') : Buffer.from(vector.bodyBase64, 'base64')
}

function replaceAt(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === '1' ? '2' : '1') + text.slice(index + 1)
}

describe('the published vectors', () => {
  test('there are at least twenty of them', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(20)
  })

  test.each(vectors)('$name: verifies', async (vector) => {
    expect(await verdictOn(vector)).toEqual({ ok: true, timestamp: Number(vector.timestamp), nonce: vector.nonce })
  })

  test.each(vectors)('$name: fails with any one character of a header changed', async (vector) => {
    const passed: string[] = []
    for (const field of SIGNED) {
      for (let index = 0; index < vector[field].length; index += 1) {
        const changed = replaceAt(vector[field], index)
        if ((await verdictOn(vector, { headers: { [field]: changed } })).ok) passed.push(`${field} ${changed}`)
      }
    }
    expect(passed).toEqual([])
  })

  test.each(vectors)('$name: fails with a byte of the body changed, dropped or added', async (vector) => {
    const body = bodyOf(vector)
    const step = Math.max(1, Math.floor(body.length / 64))
    const bodies = [new Uint8Array([...body, 10])]
    for (let index = 0; index < body.length; index += step) {
      bodies.push(
        Uint8Array.from(body, (byte, at) => (at === index ? byte ^ 1 : byte)),
        body.filter((_, at) => at !== index),
      )
    }
    const verdicts = await Promise.all(bodies.map((changed) => verdictOn(vector, { body: changed })))
    expect(new Set(verdicts.map((verdict) => (verdict.ok ? 'passed' : verdict.refusal)))).toEqual(
      new Set(['signature_mismatch']),
    )
  })

  // holds SIG-10
  test('a signature passes in lower case only, at its full length only', async () => {
    const [vector] = vectors
    if (!vector) throw new Error('no vectors')
    const { signature } = vector
    for (const changed of [signature.toUpperCase(), signature.slice(1), `${signature}0`, `0x${signature.slice(2)}`]) {
      expect(await verdictOn(vector, { headers: { signature: changed } })).toEqual({
        ok: false,
        refusal: 'signature_mismatch',
      })
    }
  })
})

const body = bytesOf('{}')

async function verdict(receiver: Partial<Receiver>, headers: Record<string, string | undefined>) {
  const clock = fakeClock()
  const nonceStore = createMemoryNonceStore({ clock: fakeClock(0) })
  const given = { get: (name: string) => headers[name] ?? null }
  const result = await verifySignature(
    { runtimeId: RUNTIME_ID, secret: SECRET, nonceStore, clock, ...receiver },
    { headers: given, body },
  )
  return result.ok ? 'ok' : result.refusal
}

describe('the order of checks', () => {
  // Each row mends the fault that the row above was refused for, and keeps all the others.
  const faults = [
    ['missing_headers', { [SIGNATURE_HEADERS.nonce]: undefined }],
    ['runtime_mismatch', { [SIGNATURE_HEADERS.runtimeId]: 'rt_other0001' }],
    ['timestamp_invalid', { [SIGNATURE_HEADERS.timestamp]: '17672256000' }],
    ['timestamp_outside_tolerance', { [SIGNATURE_HEADERS.timestamp]: '1000000000000' }],
    ['signature_mismatch', { [SIGNATURE_HEADERS.signature]: '0'.repeat(64) }],
    ['nonce_replayed', {}],
  ] as const

  // holds SIG-06
  test.each(faults.map(([refusal], index) => ({ refusal, index })))(
    '$refusal comes before all that follow it',
    async (row) => {
      const headers = await signatureHeaders({ body, nonce: 'used' })
      const nonceStore = createMemoryNonceStore({ clock: fakeClock(0) })
      await verdict({ nonceStore }, headers)
      const remaining = faults.slice(row.index).map(([, change]) => change)
      // The earliest fault is applied last, so that it is not hidden by a later one on the same header.
      const broken = Object.assign({}, headers, ...remaining.toReversed())
      expect(await verdict({ nonceStore }, broken)).toBe(row.refusal)
    },
  )

  test.each(Object.values(SIGNATURE_HEADERS))('an absent or empty %s is missing', async (name) => {
    const headers = await signatureHeaders({ body })
    expect(await verdict({}, { ...headers, [name]: undefined })).toBe('missing_headers')
    expect(await verdict({}, { ...headers, [name]: '' })).toBe('missing_headers')
  })

  // holds SIG-08
  test('a forged signature neither reaches the nonce store nor uses up the nonce', async () => {
    const headers = await signatureHeaders({ body, nonce: 'wanted' })
    const claimed: string[] = []
    const nonceStore = { claim: async (nonce: string) => claimed.push(nonce) === 1 }
    const forged = { ...headers, [SIGNATURE_HEADERS.signature]: 'f'.repeat(64) }
    expect(await verdict({ nonceStore }, forged)).toBe('signature_mismatch')
    expect(claimed).toEqual([])
    expect(await verdict({ nonceStore }, headers)).toBe('ok')
  })
})

// holds SIG-11
test('a signature is looked at to its end, wherever its first wrong character stands', async () => {
  const headers = await signatureHeaders({ body })
  const signature = headers[SIGNATURE_HEADERS.signature] ?? ''
  const looks = async (wrongAt: number) => {
    const forged = replaceAt(signature, wrongAt)
    const spy = vi.spyOn(String.prototype, 'charCodeAt')
    expect(await verdict({}, { ...headers, [SIGNATURE_HEADERS.signature]: forged })).toBe('signature_mismatch')
    const looked = spy.mock.contexts.filter((text) => String(text) === forged).length
    spy.mockRestore()
    return looked
  }
  expect([await looks(0), await looks(31), await looks(63)]).toEqual([64, 64, 64])
})

describe('the timestamp', () => {
  // holds SIG-07
  test.each([
    [-300_001, 'timestamp_outside_tolerance'],
    [-300_000, 'ok'],
    [300_000, 'ok'],
    [300_001, 'timestamp_outside_tolerance'],
  ])('%i ms from the receiver’s clock: %s', async (offset, expected) => {
    expect(await verdict({}, await signatureHeaders({ body, timestamp: String(NOW + offset) }))).toBe(expected)
  })

  // holds SIG-10
  test.each([
    '1767225600000.0',
    '+1767225600000',
    '01767225600000',
    '1.767225600e12',
    '１７６７２２５６００００0',
    '1767225600000\n',
    'now',
  ])('%j is no timestamp, even when signed', async (timestamp) => {
    expect(await verdict({}, await signatureHeaders({ body, timestamp }))).toBe('timestamp_invalid')
  })

  test('a clock that gives no number refuses', async () => {
    expect(await verdict({ clock: { now: () => Number.NaN } }, await signatureHeaders({ body }))).toBe(
      'timestamp_outside_tolerance',
    )
  })
})

describe('several secrets', () => {
  // holds SIG-14
  test('a call signed with any of them passes, with another none', async () => {
    const secret = ['new-secret', SECRET]
    expect(await verdict({ secret }, await signatureHeaders({ body, secret: 'new-secret' }))).toBe('ok')
    expect(await verdict({ secret }, await signatureHeaders({ body, secret: SECRET }))).toBe('ok')
    expect(await verdict({ secret }, await signatureHeaders({ body, secret: 'third' }))).toBe('signature_mismatch')
    expect(await verdict({ secret: [] }, await signatureHeaders({ body }))).toBe('signature_mismatch')
  })

  test('a call accepted under one secret is not accepted again under the other', async () => {
    const nonceStore = createMemoryNonceStore({ clock: fakeClock(0) })
    const receiver = { secret: ['new-secret', SECRET], nonceStore }
    expect(await verdict(receiver, await signatureHeaders({ body, nonce: 'n' }))).toBe('ok')
    expect(await verdict(receiver, await signatureHeaders({ body, nonce: 'n', secret: 'new-secret' }))).toBe(
      'nonce_replayed',
    )
  })
})
