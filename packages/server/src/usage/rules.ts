import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'
import { type BucketRate, perHour } from './token-bucket.js'

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

/** The part of a plan that admission needs; plain data, so that a thread can be given it. */
export interface Plan {
  draws: Readonly<Record<Door, readonly Draw[]>>
  /** Null: no limit. */
  storedBytes: number | null
}

export const MAIN_BUCKET = 'executions'
export const ANONYMOUS_BUCKET = 'anonymous'

export const PLANS: Readonly<Record<Tier, Plan>> = {
  free: planOf('free'),
  pro: planOf('pro'),
  enterprise: planOf('enterprise'),
}

function planOf(tier: Tier): Plan {
  const { executionsPerHour, executionsBurst, anonymousPerHour, anonymousBurst, storedBytes } = TIERS[tier]
  const own = drawsOf('quota', MAIN_BUCKET, executionsPerHour, executionsBurst)
  const anonymous = drawsOf('anonymous', ANONYMOUS_BUCKET, anonymousPerHour, anonymousBurst)
  return { draws: { page: own, owner: own, broker: [...anonymous, ...own] }, storedBytes }
}

function drawsOf(limit: QuotaName, bucket: string, units: number | null, burst: number | null): Draw[] {
  return units === null || burst === null ? [] : [{ limit, bucket, rate: perHour(units, burst) }]
}

/** The buckets that one execution draws on. Of two that refuse equally long, the first is the one reported. */
export function drawsFor(tier: Tier, door: Door): readonly Draw[] {
  return PLANS[tier].draws[door]
}

/**
 * The quota buckets of a plan at their emptiest. One that was emptied under a larger plan may owe more than this, and
 * would stay shut for as long as that plan's takes to fill.
 */
export function emptiestBuckets(tier: Tier, now: number): { bucket: string; emptyUntil: number }[] {
  return drawsFor(tier, 'broker').map(({ bucket, rate }) => ({ bucket, emptyUntil: now + rate.unitMs * rate.burst }))
}
