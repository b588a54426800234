import { DEFAULT_GRACE_SECONDS } from '@svc/contract'

/** When what is replaced now ends, in epoch milliseconds; `now` itself for a grace of 0. 24 hours where none is given. */
export function graceEnd(now: number, graceSeconds: number | undefined): number {
  return now + (graceSeconds ?? DEFAULT_GRACE_SECONDS) * 1000
}
