import type { Clock } from '../clock.ts'
import { NonceStoreFullError } from '../errors.ts'
import { createExpiringSet } from './expiring-set.ts'
import { COLD_START_MS, NONCE_LIFETIME_MS, type NonceStore } from './nonce-store.ts'

export interface MemoryNonceStoreOptions {
  readonly clock?: Clock | undefined
  /** Unexpired nonces that are kept at most; past it claims reject with {@link NonceStoreFullError}. Default 100,000. */
  readonly maxEntries?: number | undefined
  /**
   * True: also takes calls signed long before the store was made. For a handler that is made at its first call. A call that
   * another process answered within the last five minutes can then be replayed here. Default false.
   */
  readonly acceptCold?: boolean | undefined
}

/**
 * A nonce store for one long-lived process. It refuses calls stamped more than five seconds before it was made, or no later
 * than a call that it has forgotten already, so that a restart or a clock set back lets no call in again.
 */
export function createMemoryNonceStore(options: MemoryNonceStoreOptions = {}): NonceStore {
  const { clock = Date, maxEntries = 100_000, acceptCold = false } = options
  const nonces = createExpiringSet()
  const openedAt = clock.now()
  const earliestExpiry = acceptCold ? Number.NEGATIVE_INFINITY : openedAt - COLD_START_MS + NONCE_LIFETIME_MS

  return {
    ...(!acceptCold && { openedAt }),
    async claim(nonce, expiresAt) {
      const now = clock.now()
      nonces.sweep(now)
      // Written so that a clock that returns NaN refuses.
      const isKeepable = expiresAt > now && expiresAt >= earliestExpiry && expiresAt > nonces.forgottenUpTo()
      if (!isKeepable || nonces.has(nonce)) return false
      if (nonces.size() >= maxEntries) throw new NonceStoreFullError(`${maxEntries} unexpired nonces are held already.`)
      nonces.add(nonce, expiresAt)
      return true
    },
  }
}
