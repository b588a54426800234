/** @typedef {{ unitMs: number, burst: number }} BucketRate One unit per `unitMs`, at most `burst` of them. */

/**
 * `fullAt` is the bucket afterwards.
 * @typedef {{ ok: true, fullAt: number } | { ok: false, fullAt: number, retryAfterMs: number }} Taken
 */

/** By how much the clocks of replicas may differ: the duration of a lease. */
export const CLOCK_SKEW_MS = 30_000

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** @type {(units: number, burst: number) => BucketRate} */
export function perHour(units, burst) {
  return { unitMs: Math.ceil(HOUR_MS / units), burst }
}

/** @type {(units: number) => BucketRate} */
export function perMinute(units) {
  return { unitMs: Math.ceil(MINUTE_MS / units), burst: units }
}

/**
 * Takes one unit. As in GCRA, a bucket is stored as the time at which it is full again, so that filling needs no writes. A
 * clock that lags by up to `skewMs` only makes it stricter. A time further ahead than an empty bucket and the skew was
 * written by a clock that was ahead: the bucket counts as empty.
 * @type {(fullAt: number, rate: BucketRate, now: number, skewMs?: number) => Taken}
 */
export function take(fullAt, rate, now, skewMs = 0) {
  const window = rate.unitMs * rate.burst
  const owed = fullAt - now > window + skewMs ? window : missingMs(fullAt, now)
  const next = owed + rate.unitMs
  if (next <= window) return { ok: true, fullAt: now + next }
  return { ok: false, fullAt: owed === window ? now + window : fullAt, retryAfterMs: next - window }
}

/**
 * Whole units that can be taken now; 0 also where a bucket was emptied under a larger plan.
 * @type {(fullAt: number, rate: BucketRate, now: number) => number}
 */
export function available(fullAt, rate, now) {
  return Math.max(rate.burst - Math.ceil(missingMs(fullAt, now) / rate.unitMs), 0)
}

/** @type {(fullAt: number, now: number) => number} */
export function missingMs(fullAt, now) {
  return Math.max(fullAt - now, 0)
}
