import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'
import { type BucketRate, CLOCK_SKEW_MS, perHour, take } from './token-bucket.ts'

/** Through which door an execution comes; each draws on buckets of its own. */
export type Door = 'page' | 'broker' | 'owner'

export type QuotaName = 'anonymous' | 'quota'

/** What may keep a request out: a rate of its runtime, visitor or network, or a quota. */
export type LimitName = QuotaName | 'rate' | 'visitor' | 'network'

/** A bucket that an execution draws one unit from. */
export interface Draw {
  limit: QuotaName
  bucket: string
  rate: BucketRate
}

export type Grant = { ok: true } | { ok: false; limit: QuotaName; retryAfterMs: number }

export const MAIN_BUCKET = 'executions'
export const ANONYMOUS_BUCKET = 'anonymous'

/** The buckets that one execution draws on. Of two that refuse equally long, the first is the one reported. */
export function drawsFor(tier: Tier, door: Door): Draw[] {
  const limits = TIERS[tier]
  const draws: Draw[] = []
  if (door === 'broker' && limits.anonymousPerHour !== null && limits.anonymousBurst !== null) {
    const rate = perHour(limits.anonymousPerHour, limits.anonymousBurst)
    draws.push({ limit: 'anonymous', bucket: ANONYMOUS_BUCKET, rate })
  }
  if (limits.executionsPerHour !== null && limits.executionsBurst !== null) {
    const rate = perHour(limits.executionsPerHour, limits.executionsBurst)
    draws.push({ limit: 'quota', bucket: MAIN_BUCKET, rate })
  }
  return draws
}

/**
 * The quota buckets of a plan at their emptiest. One that was emptied under a larger plan may owe more than this, and
 * would stay shut for as long as that plan's takes to fill.
 */
export function emptiestBuckets(tier: Tier, now: number): { bucket: string; emptyUntil: number }[] {
  return drawsFor(tier, 'broker').map(({ bucket, rate }) => ({ bucket, emptyUntil: now + rate.unitMs * rate.burst }))
}

/**
 * Takes one unit from every bucket, or none from any. `buckets` holds `fullAt` by name; a refusal changes only those that
 * a clock which was ahead, or a larger plan, left emptier than empty. A refusal names the limit that holds longest, so
 * that every other one lets the caller in once this one does.
 */
export function grant(buckets: Map<string, number>, draws: readonly Draw[], now: number): Grant {
  const taken = new Map<string, number>()
  let refusal: { limit: QuotaName; retryAfterMs: number } | null = null
  for (const { limit, bucket, rate } of draws) {
    const result = take(buckets.get(bucket) ?? 0, rate, now, CLOCK_SKEW_MS)
    if (result.ok) taken.set(bucket, result.fullAt)
    else {
      buckets.set(bucket, result.fullAt)
      if (!refusal || result.retryAfterMs > refusal.retryAfterMs) refusal = { limit, retryAfterMs: result.retryAfterMs }
    }
  }
  if (refusal) return { ok: false, ...refusal }
  for (const [bucket, fullAt] of taken) buckets.set(bucket, fullAt)
  return { ok: true }
}
