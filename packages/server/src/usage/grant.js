import { CLOCK_SKEW_MS, take } from './token-bucket.js'

/**
 * @import { Draw, QuotaName } from './rules.ts'
 * @typedef {{ ok: false, limit: QuotaName, retryAfterMs: number }} Refusal
 * @typedef {{ ok: true } | Refusal} Grant
 */

/**
 * Takes one unit from every bucket, or none from any. `buckets` holds `fullAt` by name; a refusal changes only those that
 * a clock which was ahead, or a larger plan, left emptier than empty. A refusal names the limit that holds longest, so
 * that every other one lets the caller in once this one does.
 * @type {(buckets: Map<string, number>, draws: readonly Draw[], now: number) => Grant}
 */
export function grant(buckets, draws, now) {
  /** @type {Map<string, number>} */
  const taken = new Map()
  /** @type {Refusal | null} */
  let refusal = null
  for (const { limit, bucket, rate } of draws) {
    const result = take(buckets.get(bucket) ?? 0, rate, now, CLOCK_SKEW_MS)
    if (result.ok) taken.set(bucket, result.fullAt)
    else {
      buckets.set(bucket, result.fullAt)
      if (!refusal || result.retryAfterMs > refusal.retryAfterMs) {
        refusal = { ok: false, limit, retryAfterMs: result.retryAfterMs }
      }
    }
  }
  if (refusal) return refusal
  for (const [bucket, fullAt] of taken) buckets.set(bucket, fullAt)
  return { ok: true }
}
