import { CLOCK_SKEW_MS, take } from './token-bucket.js'

/**
 * @import { QuotaName } from './quota-rules.ts'
 * @import { BucketRate } from './token-bucket.js'
 */

/**
 * @template {string} [Limit=QuotaName]
 * @typedef {{ ok: false, limit: Limit, retryAfterMs: number }} Refusal
 */

/**
 * Takes one unit from every bucket, or from none. `buckets` holds `fullAt` by name; a refusal corrects those that a
 * clock ahead has written. It names the limit with the longest wait, after which no other one refuses.
 * @template {string} Limit
 * @param {Map<string, number>} buckets
 * @param {readonly { limit: Limit, bucket: string, rate: BucketRate }[]} draws
 * @param {number} now
 * @returns {{ ok: true } | Refusal<Limit>}
 */
export function takeFromBuckets(buckets, draws, now) {
  /** @type {Map<string, number>} */
  const taken = new Map()
  /** @type {Refusal<Limit> | null} */
  let refusal = null
  for (const { limit, bucket, rate } of draws) {
    const result = take(buckets.get(bucket) ?? 0, rate, now, CLOCK_SKEW_MS)
    if (result.ok) taken.set(bucket, result.fullAt)
    else {
      buckets.set(bucket, result.fullAt)
      const { retryAfterMs } = result
      if (!refusal || retryAfterMs > refusal.retryAfterMs) refusal = { ok: false, limit, retryAfterMs }
    }
  }
  if (refusal) return refusal
  for (const [bucket, fullAt] of taken) buckets.set(bucket, fullAt)
  return { ok: true }
}
