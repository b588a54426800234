import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { digestOf, signatureOf, signCall } from '../../src/dispatch/sign.ts'
import { Secret } from '../../src/secrets/secret.ts'

const Vector = z.object({
  name: z.string(),
  secret: z.string(),
  runtimeId: z.string(),
  timestamp: z.string(),
  nonce: z.string(),
  body: z.string().optional(),
  bodyBase64: z.string().optional(),
  bodyDigest: z.string(),
  signature: z.string(),
})

const file = new URL('../../../contract/vectors/signing.json', import.meta.url)
const vectors = z.array(Vector).parse(JSON.parse(readFileSync(file, 'utf8')))

test('there are vectors to check against', () => {
  expect(vectors.length).toBeGreaterThanOrEqual(20)
})

// holds SIG-01, SIG-03
test.each(vectors)('the signature agrees with the published vector: $name', (vector) => {
  const body =
    vector.bodyBase64 === undefined ? Buffer.from(vector.body ?? '') : Buffer.from(vector.bodyBase64, 'base64')
  expect(digestOf(body)).toBe(vector.bodyDigest)
  expect(signatureOf(new Secret(vector.secret), vector)).toBe(vector.signature)
})

test('a secret that was used before still signs each call by its own parts', () => {
  const secret = new Secret('one-secret')
  const parts = {
    runtimeId: 'rt_shop0001',
    timestamp: '1767225600000',
    nonce: 'a',
    bodyDigest: digestOf(Buffer.from('{}')),
  }
  const first = signCall(secret, parts)
  const second = signCall(secret, { ...parts, nonce: 'b' })
  expect(signatureIn(second)).not.toBe(signatureIn(first))
  expect(signCall(new Secret('one-secret'), parts)).toEqual(first)
})

function signatureIn(headers: readonly string[]): string | undefined {
  return headers[headers.indexOf('x-svc-signature') + 1]
}
