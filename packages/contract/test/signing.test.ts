import { readFileSync } from 'node:fs'
import { bodyDigest, computeSignature, createSigner, type SigningParts, signingString } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const Vector = z.union([
  z.strictObject({ ...common(), body: z.string() }),
  z.strictObject({ ...common(), bodyBase64: z.base64() }),
])

const vectors = z
  .array(Vector)
  .parse(JSON.parse(readFileSync(new URL('../vectors/signing.json', import.meta.url), 'utf8')))

describe('the published vectors', () => {
  test('are at least twenty, each of its own name and signature', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(20)
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
    expect(new Set(vectors.map(({ signature }) => signature)).size).toBe(vectors.length)
  })

  // holds SIG-01
  test.each(vectors)('$name', async (vector) => {
    expect(await bodyDigest(bytesOf(vector))).toBe(vector.bodyDigest)
    expect(signingString(vector)).toBe(vector.signingString)
    expect(await computeSignature(vector.secret, vector)).toBe(vector.signature)
    const sign = createSigner(vector.secret)
    expect([await sign({ ...vector, nonce: 'another' }), await sign(vector)][1]).toBe(vector.signature)
  })

  // holds SIG-03
  test('cover bodies that are empty, large and no text, and secrets longer than the HMAC block', () => {
    const sizes = vectors.map((vector) => bytesOf(vector).length)
    expect(Math.min(...sizes)).toBe(0)
    expect(Math.max(...sizes)).toBeGreaterThan(65_000)
    expect(Math.max(...vectors.map(({ secret }) => secret.length))).toBeGreaterThan(64)
    const text = new TextDecoder('utf-8', { fatal: true })
    expect(vectors.some((vector) => 'bodyBase64' in vector && !decodes(text, bytesOf(vector)))).toBe(true)
  })
})

describe('a signature', () => {
  const parts = fc.record({
    runtimeId: fc.stringMatching(/^rt_[A-Za-z0-9_-]{4,64}$/),
    timestamp: fc.stringMatching(/^[0-9]{13}$/),
    nonce: fc.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    bodyDigest: fc.stringMatching(/^[0-9a-f]{64}$/),
  })
  const secret = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => isWellFormed(text))
  const field = fc.constantFrom('runtimeId', 'timestamp', 'nonce', 'bodyDigest')

  // holds SIG-04
  test('is 64 lower-case hex digits and the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(secret, parts, async (key, of) => {
        const signature = await computeSignature(key, of)
        expect(signature).toMatch(/^[0-9a-f]{64}$/)
        expect(await computeSignature(key, { ...of })).toBe(signature)
      }),
      { numRuns: 100, seed: 1 },
    )
  })

  test('changes when any part changes, and when the secret does', async () => {
    await fc.assert(
      fc.asyncProperty(secret, parts, parts, field, secret, async (key, of, other, changed, otherKey) => {
        const signature = await computeSignature(key, of)
        const altered: SigningParts = { ...of, [changed]: other[changed] }
        if (altered[changed] !== of[changed]) expect(await computeSignature(key, altered)).not.toBe(signature)
        if (otherKey !== key) expect(await computeSignature(otherKey, of)).not.toBe(signature)
      }),
      { numRuns: 300, seed: 2 },
    )
  })

  // holds SIG-02
  test('changes with every single byte of the body', async () => {
    const body = new TextEncoder().encode('{"input":{"query":"lantern"}}')
    const digests = new Set([await bodyDigest(body)])
    for (let at = 0; at < body.length; at += 1) {
      const altered = Uint8Array.from(body, (byte, index) => (index === at ? byte ^ 1 : byte))
      digests.add(await bodyDigest(altered))
    }
    expect(digests.size).toBe(body.length + 1)
  })

  test('covers parts that cannot run into each other: none of them may hold a dot', () => {
    fc.assert(
      fc.property(parts, (of) => {
        expect(signingString(of).split('.')).toEqual([of.runtimeId, of.timestamp, of.nonce, of.bodyDigest])
      }),
      { numRuns: 200, seed: 3 },
    )
  })
})

function common() {
  return {
    name: z.string().min(1),
    secret: z.string().min(1),
    runtimeId: z.string(),
    timestamp: z.string().regex(/^\d{13}$/),
    nonce: z.string(),
    bodyDigest: z.string(),
    signingString: z.string(),
    signature: z.string().regex(/^[0-9a-f]{64}$/),
  }
}

function bytesOf(vector: z.infer<typeof Vector>): Uint8Array<ArrayBuffer> {
  if ('body' in vector) return new TextEncoder().encode(vector.body)
  return Uint8Array.from(Buffer.from(vector.bodyBase64, 'base64'))
}

function decodes(decoder: TextDecoder, bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes)
    return true
  } catch {
    return false
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
