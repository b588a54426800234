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
 * Takes one unit. A bucket is the time at which it is full again, in whole milliseconds: filling needs no writes, and a
 * clock that lags by up to `skewMs` only makes it stricter. A bucket that owes more than it holds and the skew was filled
 * by a clock that was ahead: it counts as empty.
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
 * Whole units that can be taken now. A bucket that was emptied under a larger plan may owe more than it can hold.
 * @type {(fullAt: number, rate: BucketRate, now: number) => number}
 */
export function available(fullAt, rate, now) {
  return Math.max(rate.burst - Math.ceil(missingMs(fullAt, now) / rate.unitMs), 0)
}

/** @type {(fullAt: number, now: number) => number} */
export function missingMs(fullAt, now) {
  return Math.max(fullAt - now, 0)
}
