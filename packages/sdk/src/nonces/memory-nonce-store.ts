import type { Clock } from '../clock.ts'
import { NonceStoreFullError } from '../errors.ts'
import { createExpiringSet } from './expiring-set.ts'
import { NONCE_LIFETIME_MS, type NonceStore } from './nonce-store.ts'

export interface MemoryNonceStoreOptions {
  readonly clock?: Clock | undefined
  /** Unexpired nonces that are kept at most; past it claims reject with {@link NonceStoreFullError}. Default 100,000. */
  readonly maxEntries?: number | undefined
}

/**
 * A nonce store for one long-lived process. It refuses calls stamped before it was made, or no later than a call that
 * it has forgotten already, so that neither a restart nor a clock set back lets an answered call in again.
 */
export function createMemoryNonceStore(options: MemoryNonceStoreOptions = {}): NonceStore {
  const { clock = Date, maxEntries = 100_000 } = options
  const nonces = createExpiringSet()
  const openedAt = clock.now()

  return {
    openedAt,
    async claim(nonce, expiresAt) {
      const now = clock.now()
      nonces.sweep(now)
      // Written so that a clock that returns NaN refuses.
      const isKeepable =
        expiresAt > now && expiresAt >= openedAt + NONCE_LIFETIME_MS && expiresAt > nonces.forgottenUpTo()
      if (!isKeepable || nonces.has(nonce)) return false
      if (nonces.size() >= maxEntries) throw new NonceStoreFullError(`${maxEntries} unexpired nonces are held already.`)
      nonces.add(nonce, expiresAt)
      return true
    },
  }
}
