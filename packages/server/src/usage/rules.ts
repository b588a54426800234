import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'
import { available, type BucketRate, missingMs, perHour, perMinute, take } from './token-bucket.ts'

/** Through which door an execution comes; each draws on buckets of its own. */
export type Door = 'page' | 'broker' | 'owner'

export type LimitName = 'rate' | 'anonymous' | 'quota'

/** A bucket that a request draws one unit from. */
export interface Draw {
  limit: LimitName
  bucket: string
  rate: BucketRate
}

/** The state of the per-runtime rate limit, for the `RateLimit-*` headers. */
export interface RateState {
  limit: number
  remaining: number
  resetMs: number
}

export type Grant =
  | { ok: true; rate: RateState | null }
  | { ok: false; limit: LimitName; retryAfterMs: number; rate: RateState | null }

export const MAIN_BUCKET = 'executions'
export const ANONYMOUS_BUCKET = 'anonymous'

/** The name of a runtime's rate bucket for one door; strangers at the broker cannot spend the page's. */
export function rateBucket(runtimeId: string, door: 'page' | 'broker'): string {
  return `rate:${runtimeId}:${door}`
}

/** The buckets that one request draws on. Of two that refuse equally long, the first is the one reported. */
export function drawsFor(tier: Tier, runtimeId: string, door: Door): Draw[] {
  const limits = TIERS[tier]
  const draws: Draw[] = []
  if (door !== 'owner') {
    draws.push({ limit: 'rate', bucket: rateBucket(runtimeId, door), rate: perMinute(limits.requestsPerMinute) })
  }
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
  return drawsFor(tier, '', 'broker')
    .filter(({ limit }) => limit !== 'rate')
    .map(({ bucket, rate }) => ({ bucket, emptyUntil: now + rate.unitMs * rate.burst }))
}

/**
 * Takes one unit from every bucket, or none from any. `buckets` holds `fullAt` by name and is changed on success alone.
 * A refusal names the limit that holds longest, so that whoever waits for it finds every other one open too.
 */
export function grant(buckets: Map<string, number>, draws: readonly Draw[], now: number): Grant {
  const taken = new Map<string, number>()
  let refusal: { limit: LimitName; retryAfterMs: number } | null = null
  for (const { limit, bucket, rate } of draws) {
    const result = take(buckets.get(bucket) ?? 0, rate, now)
    if (result.ok) taken.set(bucket, result.fullAt)
    else if (!refusal || result.retryAfterMs > refusal.retryAfterMs) {
      refusal = { limit, retryAfterMs: result.retryAfterMs }
    }
  }
  if (refusal) return { ok: false, ...refusal, rate: rateState(buckets, draws, now) }
  for (const [bucket, fullAt] of taken) buckets.set(bucket, fullAt)
  return { ok: true, rate: rateState(buckets, draws, now) }
}

function rateState(buckets: Map<string, number>, draws: readonly Draw[], now: number): RateState | null {
  const draw = draws.find(({ limit }) => limit === 'rate')
  if (!draw) return null
  const fullAt = buckets.get(draw.bucket) ?? 0
  return {
    limit: draw.rate.burst,
    remaining: available(fullAt, draw.rate, now),
    resetMs: missingMs(fullAt, now),
  }
}
