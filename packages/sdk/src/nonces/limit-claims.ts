import type { NonceStore } from './nonce-store.ts'

/** A nonce store whose claims reject after a time: clients of databases queue what they cannot send, for minutes. */
export function limitClaims(store: NonceStore, timeoutMs: number): NonceStore {
  return {
    ...(store.openedAt !== undefined && { openedAt: store.openedAt }),
    async claim(nonce, expiresAt) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const timeout = new Promise<never>((_, reject) => {
        const tooLate = () => reject(new Error(`The nonce store did not answer within ${timeoutMs} ms.`))
        timer = setTimeout(tooLate, timeoutMs)
      })
      try {
        return await Promise.race([store.claim(nonce, expiresAt), timeout])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
