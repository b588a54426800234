/** The headers of a signed call from the control plane to a runtime’s endpoint. */
export const SIGNATURE_HEADERS = {
  runtimeId: 'x-svc-runtime-id',
  timestamp: 'x-svc-timestamp',
  nonce: 'x-svc-nonce',
  signature: 'x-svc-signature',
} as const

/** Names the execution that a call to a runtime’s endpoint belongs to. */
export const EXECUTION_ID_HEADER = 'x-svc-execution-id'

/** How far a call’s timestamp may lie from the receiver’s clock, in either direction. */
export const TIMESTAMP_TOLERANCE_MS = 5 * 60 * 1000

export interface SigningParts {
  runtimeId: string
  /** Milliseconds since the epoch, in the very decimal digits of the header. */
  timestamp: string
  nonce: string
  /** SHA-256 of the exact body bytes, lower-case hex; see {@link bodyDigest}. */
  bodyDigest: string
}

/** The string that a signature covers: `<runtime_id>.<timestamp>.<nonce>.<body_digest>`. */
export function signingString(parts: SigningParts): string {
  return `${parts.runtimeId}.${parts.timestamp}.${parts.nonce}.${parts.bodyDigest}`
}

/** SHA-256 of the body’s bytes in lower-case hex. */
export async function bodyDigest(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(await crypto.subtle.digest('SHA-256', body))
}

/** HMAC-SHA-256 of the signing string in lower-case hex. The key is the secret’s characters as UTF-8, not decoded. */
export async function computeSignature(secret: string, parts: SigningParts): Promise<string> {
  return createSigner(secret)(parts)
}

/** Computes the signature of one call. */
export type SignParts = (parts: SigningParts) => Promise<string>

/** {@link computeSignature} for many calls: the key is made once. What it returns rejects for an empty secret. */
export function createSigner(secret: string): SignParts {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  let key: ReturnType<typeof crypto.subtle.importKey> | undefined
  return async (parts) => {
    key ??= crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
    return toHex(await crypto.subtle.sign('HMAC', await key, encoder.encode(signingString(parts))))
  }
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
