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
  const own = drawsOf(tier, false)
  return { draws: { page: own, owner: own, broker: drawsOf(tier, true) }, storedBytes: TIERS[tier].storedBytes }
}

function drawsOf(tier: Tier, isAnonymous: boolean): Draw[] {
  const limits = TIERS[tier]
  const draws: Draw[] = []
  if (isAnonymous && limits.anonymousPerHour !== null && limits.anonymousBurst !== null) {
    const rate = perHour(limits.anonymousPerHour, limits.anonymousBurst)
    draws.push({ limit: 'anonymous', bucket: ANONYMOUS_BUCKET, rate })
  }
  if (limits.executionsPerHour !== null && limits.executionsBurst !== null) {
    const rate = perHour(limits.executionsPerHour, limits.executionsBurst)
    draws.push({ limit: 'quota', bucket: MAIN_BUCKET, rate })
  }
  return draws
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
