import { TIMESTAMP_TOLERANCE_MS } from '@svc/contract'
import type { Clock } from './clock.ts'
import { NonceStoreFullError } from './errors.ts'

// A nonce outlives the last moment at which its timestamp would still pass, so that the two cannot race.
const NONCE_MARGIN_MS = 5_000

/** How long a nonce is kept after the timestamp that it was signed with. */
export const NONCE_LIFETIME_MS = TIMESTAMP_TOLERANCE_MS + NONCE_MARGIN_MS

/** Remembers which calls were answered, so that none is answered twice. Give several servers one shared store. */
export interface NonceStore {
  /**
   * Claims a nonce in one atomic step: true for the first claim, false ever after, until `expiresAt` (milliseconds).
   * `expiresAt` is the call’s timestamp plus {@link NONCE_LIFETIME_MS}. A rejection refuses the call.
   */
  claim(nonce: string, expiresAt: number): Promise<boolean>
}

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
  const earliestExpiry = clock.now() + NONCE_LIFETIME_MS

  return {
    async claim(nonce, expiresAt) {
      nonces.sweep(clock.now())
      if (expiresAt < earliestExpiry || expiresAt <= nonces.forgottenUpTo() || nonces.has(nonce)) return false
      if (nonces.size() >= maxEntries) throw new NonceStoreFullError(`${maxEntries} unexpired nonces are held already.`)
      nonces.add(nonce, expiresAt)
      return true
    },
  }
}

// Entries lie in one bucket per second of expiry: a sweep looks at seconds, never at every entry.
function createExpiringSet() {
  const members = new Set<string>()
  const buckets = new Map<number, string[]>()
  let sweptSecond = 0
  let forgottenSecond = 0

  return {
    has: (member: string) => members.has(member),
    size: () => members.size,
    forgottenUpTo: () => forgottenSecond * 1000,
    add(member: string, expiresAt: number): void {
      const second = Math.ceil(expiresAt / 1000)
      const bucket = buckets.get(second)
      if (bucket) bucket.push(member)
      else buckets.set(second, [member])
      members.add(member)
    },
    sweep(now: number): void {
      const second = Math.floor(now / 1000)
      if (second === sweptSecond) return
      sweptSecond = second
      for (const [expiry, bucket] of buckets) {
        if (expiry > second) continue
        for (const member of bucket) members.delete(member)
        buckets.delete(expiry)
        forgottenSecond = Math.max(forgottenSecond, expiry)
      }
    },
  }
}
