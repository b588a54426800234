import { DEFAULT_GRACE_SECONDS } from '@svc/contract'

/** When a replaced key or secret stops working, in epoch milliseconds: `now` for a grace of 0. */
export function graceEnd(now: number, graceSeconds = DEFAULT_GRACE_SECONDS): number {
  return now + graceSeconds * 1000
}

/** API keys of an account that are not revoked, beside those of `svc login`. */
export const MAX_ACCOUNT_KEYS = 50

/** Keys of one member's `svc login` that are not revoked. */
export const MAX_MEMBER_KEYS = 20

export const TOO_MANY_KEYS = `An account can have ${MAX_ACCOUNT_KEYS} API keys. Revoke one that is no longer needed.`

export const TOO_MANY_LOGINS = `A member can have ${MAX_MEMBER_KEYS} keys of “svc login”. Revoke one that is no longer needed.`
