import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodyDigest, computeSignature } from '@svc/contract'
import { z } from 'zod'
import { ROOT } from './source-tree.ts'

/** What a receiver is asked, one request after another with one memory for nonces, and what it has to answer. */
export interface SignedCase {
  readonly name: string
  readonly runtimeId: string
  readonly secrets: readonly string[]
  readonly requests: readonly { headers: Readonly<Record<string, string>>; bodyBase64: string; nowMs: number }[]
  /** For each request the code of the refusal, or null where it is genuine. */
  readonly verdicts: readonly (string | null)[]
}

type Request = SignedCase['requests'][number]

const Vector = z.object({
  ...{ name: z.string(), secret: z.string(), runtimeId: z.string(), timestamp: z.string(), nonce: z.string() },
  ...{ body: z.string().optional(), bodyBase64: z.string().optional(), signature: z.string() },
})
type Vector = z.infer<typeof Vector>

/** All published vectors as genuine calls, and the first one spoilt in every way that a receiver has to notice. */
export async function signedCases(): Promise<SignedCase[]> {
  const text = readFileSync(join(ROOT, 'packages/contract/vectors/signing.json'), 'utf8')
  const vectors = z.array(Vector).min(20).parse(JSON.parse(text))
  const genuine = vectors.map((vector) => caseOf(vector, vector.name, [[requestOf(vector), null]]))
  const [first] = vectors
  if (!first) throw new Error('there are no vectors')
  return [...genuine, ...spoiltHeaders(first), ...spoiltBodies(first), ...repeats(first), ...(await resigned(first))]
}

function spoiltHeaders(vector: Vector): SignedCase[] {
  const good = requestOf(vector)
  const signedAt = Number(vector.timestamp)
  const withHeader = (name: string, value: string | undefined): Request => {
    const { [name]: _replaced, ...others } = good.headers
    return { ...good, headers: value === undefined ? others : { ...others, [name]: value } }
  }
  const refused = (name: string, refusal: string | null, request: Request) => caseOf(vector, name, [[request, refusal]])
  const timestamps = [
    '176722560000',
    '17672256000000',
    '-767225600000',
    '1767225600.00',
    ' 767225600000',
    '١٧٦٧٢٢٥٦٠٠٠٠٠',
  ]
  const { 'x-svc-signature': signature = '' } = good.headers
  const signatures = [
    signature.toUpperCase(),
    signature.slice(0, 62),
    `${signature}\n`,
    `${signature}00`,
    'zz'.repeat(32),
  ]
  return [
    ...Object.keys(good.headers).flatMap((name) => [
      refused(`without ${name}`, 'missing_headers', withHeader(name, undefined)),
      refused(`with an empty ${name}`, 'missing_headers', withHeader(name, '')),
    ]),
    refused('for another runtime', 'runtime_mismatch', withHeader('x-svc-runtime-id', 'rt_shop0002')),
    ...[...timestamps, `${vector.timestamp}\n`].map((timestamp) =>
      refused(`stamped ${JSON.stringify(timestamp)}`, 'timestamp_invalid', withHeader('x-svc-timestamp', timestamp)),
    ),
    ...signatures.map((each) =>
      refused(`signed ${JSON.stringify(each)}`, 'signature_mismatch', withHeader('x-svc-signature', each)),
    ),
    refused('with another nonce', 'signature_mismatch', withHeader('x-svc-nonce', 'Zm9vYmFyYmF6cXV4MDEyNA')),
    refused('with another time', 'signature_mismatch', withHeader('x-svc-timestamp', String(signedAt + 1))),
    ...[300_000, -300_000].map((skew) => refused(`${skew} ms off`, null, { ...good, nowMs: signedAt + skew })),
    ...[300_001, -300_001].map((skew) =>
      refused(`${skew} ms off`, 'timestamp_outside_tolerance', { ...good, nowMs: signedAt + skew }),
    ),
  ]
}

function spoiltBodies(vector: Vector): SignedCase[] {
  const good = requestOf(vector)
  const bytes = Buffer.from(good.bodyBase64, 'base64')
  const flipped = Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))
  const bodies = { 'one bit changed': flipped, 'one byte more': Buffer.concat([bytes, Buffer.from(' ')]), nothing: '' }
  return Object.entries(bodies).map(([name, body]) =>
    caseOf(vector, `body: ${name}`, [
      [{ ...good, bodyBase64: Buffer.from(body).toString('base64') }, 'signature_mismatch'],
    ]),
  )
}

function repeats(vector: Vector): SignedCase[] {
  const good = requestOf(vector)
  const forged = { ...good, headers: { ...good.headers, 'x-svc-signature': '0'.repeat(64) } }
  const { secret } = vector
  const first = {
    ...caseOf(vector, 'signed with the first of two secrets', [[good, null]]),
    secrets: [secret, 'other'],
  }
  const second = { ...caseOf(vector, 'signed with the second of them', [[good, null]]), secrets: ['other', secret] }
  const other = caseOf(vector, 'signed with a secret that is not ours', [[good, 'signature_mismatch']])
  return [
    caseOf(vector, 'sent twice', [
      [good, null],
      [good, 'nonce_replayed'],
    ]),
    caseOf(vector, 'forged first, which must not use up the nonce', [
      [forged, 'signature_mismatch'],
      [good, null],
    ]),
    first,
    second,
    { ...other, secrets: ['other', `${secret}=`] },
  ]
}

// A forger without the secret cannot make these; a receiver that reads numbers too kindly would take them.
async function resigned(vector: Vector): Promise<SignedCase[]> {
  const good = requestOf(vector)
  const digest = await bodyDigest(new Uint8Array(Buffer.from(good.bodyBase64, 'base64')))
  const timestamps = ['01767225600000', '1.76722560e12', '1767225600000.0', '0x19B77A0A400']
  return Promise.all(
    timestamps.map(async (timestamp) => {
      const parts = { runtimeId: vector.runtimeId, timestamp, nonce: vector.nonce, bodyDigest: digest }
      const signature = await computeSignature(vector.secret, parts)
      const headers = { ...good.headers, 'x-svc-timestamp': timestamp, 'x-svc-signature': signature }
      return caseOf(vector, `truly signed at ${timestamp}`, [[{ ...good, headers }, 'timestamp_invalid']])
    }),
  )
}

function requestOf(vector: Vector): Request {
  const { runtimeId, timestamp, nonce, signature, body, bodyBase64 } = vector
  const headers = {
    'x-svc-runtime-id': runtimeId,
    'x-svc-timestamp': timestamp,
    'x-svc-nonce': nonce,
    'x-svc-signature': signature,
  }
  return { headers, bodyBase64: bodyBase64 ?? Buffer.from(body ?? '').toString('base64'), nowMs: Number(timestamp) }
}

function caseOf(vector: Vector, name: string, pairs: readonly (readonly [Request, string | null])[]): SignedCase {
  const { runtimeId, secret } = vector
  const [requests, verdicts] = [pairs.map(([request]) => request), pairs.map(([, verdict]) => verdict)]
  return { name, runtimeId, secrets: [secret], requests, verdicts }
}
