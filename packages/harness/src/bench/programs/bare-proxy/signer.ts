import { createHash, createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { SIGNATURE_HEADERS, signingString } from '@svc/contract'

const RUNTIME_ID = 'rt_benchmark0000000000000'

/** Signs bodies as the control plane does, with a secret of its own that nobody checks. */
export function createSigner(): (body: Buffer) => Record<string, string> {
  const key = createSecretKey(randomBytes(32).toString('hex'), 'utf8')
  return (body) => {
    const parts = {
      runtimeId: RUNTIME_ID,
      timestamp: String(Date.now()),
      nonce: randomBytes(16).toString('base64url'),
      bodyDigest: createHash('sha256').update(body).digest('hex'),
    }
    return {
      [SIGNATURE_HEADERS.runtimeId]: parts.runtimeId,
      [SIGNATURE_HEADERS.timestamp]: parts.timestamp,
      [SIGNATURE_HEADERS.nonce]: parts.nonce,
      [SIGNATURE_HEADERS.signature]: createHmac('sha256', key).update(signingString(parts)).digest('hex'),
    }
  }
}
