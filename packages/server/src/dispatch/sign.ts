import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { SIGNATURE_HEADERS, type SigningParts, signingString } from '@svc/contract'
import type { Secret } from '../secrets/secret.ts'

/** The four headers of a signed call; names and values alternate. */
export function signCall(secret: Secret, parts: SigningParts): string[] {
  const { runtimeId, timestamp, nonce, signature } = SIGNATURE_HEADERS
  const proof = signatureOf(secret, parts)
  return [runtimeId, parts.runtimeId, timestamp, parts.timestamp, nonce, parts.nonce, signature, proof]
}

/** HMAC-SHA-256 of the signing string, lower-case hex. */
export function signatureOf(secret: Secret, parts: SigningParts): string {
  return createHmac('sha256', keyOf(secret)).update(signingString(parts)).digest('hex')
}

/** SHA-256 of the body's bytes, lower-case hex. */
export function digestOf(body: Uint8Array): string {
  return hash('sha256', body)
}

// Making a key object costs as much as signing. A cached runtime keeps its Secret object.
const keys = new WeakMap<Secret, KeyObject>()

function keyOf(secret: Secret): KeyObject {
  const known = keys.get(secret)
  if (known) return known
  const key = createSecretKey(secret.reveal(), 'utf8')
  keys.set(secret, key)
  return key
}
