import { limitTime } from '../limit-time.ts'
import type { NonceStore } from './nonce-store.ts'

/** A nonce store whose claims reject after a time. */
export function limitClaims(store: NonceStore, timeoutMs: number): NonceStore {
  return {
    ...(store.openedAt !== undefined && { openedAt: store.openedAt }),
    claim: async (nonce, expiresAt) =>
      limitTime(store.claim(nonce, expiresAt), timeoutMs, `The nonce store did not answer within ${timeoutMs} ms.`),
  }
}
