import { TIMESTAMP_TOLERANCE_MS } from '@svc/contract'

// A nonce outlives the last moment at which its timestamp would still pass, so that the two cannot race.
const NONCE_MARGIN_MS = 5_000

/** How long a nonce is kept after the timestamp that it was signed with. */
export const NONCE_LIFETIME_MS = TIMESTAMP_TOLERANCE_MS + NONCE_MARGIN_MS

/**
 * How much longer a store that several servers share keeps it: a server whose clock runs ahead must not forget what one
 * whose clock runs behind would still let in.
 */
export const SHARED_CLOCKS_MS = TIMESTAMP_TOLERANCE_MS

/** How long before a store began a call may have been signed: a call may wait that long for a process that starts. */
export const COLD_START_MS = 5_000

/** Remembers which calls were answered, so that none is answered twice. Give several servers one shared store. */
export interface NonceStore {
  /**
   * Claims a nonce in one atomic step: true for the first claim, false ever after, until `expiresAt` (milliseconds).
   * `expiresAt` is the call’s timestamp plus {@link NONCE_LIFETIME_MS}. A rejection refuses the call.
   */
  claim(nonce: string, expiresAt: number): Promise<boolean>
  /**
   * When the store began, in milliseconds, where it remembers nothing from before: calls signed more than five seconds
   * earlier are refused with `nonce_store_cold`.
   */
  readonly openedAt?: number
}
