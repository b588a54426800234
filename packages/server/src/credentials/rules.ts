import { DEFAULT_GRACE_SECONDS } from '@svc/contract'

/** When what is replaced now ends, in epoch milliseconds; `now` itself for a grace of 0. 24 hours where none is given. */
export function graceEnd(now: number, graceSeconds: number | undefined): number {
  return now + (graceSeconds ?? DEFAULT_GRACE_SECONDS) * 1000
}

/** How many keys that work an account may have. */
export const MAX_ACCOUNT_KEYS = 50

export const TOO_MANY_KEYS = `An account can have ${MAX_ACCOUNT_KEYS} API keys. Revoke one that is no longer needed.`
