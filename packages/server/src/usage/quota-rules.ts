import type { ExecutionKind, Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'
import { type BucketRate, perHour } from './token-bucket.js'

export type QuotaName = 'anonymous' | 'quota'

/** A limit that may refuse a request: a rate of its runtime, visitor or network, or a quota. */
export type LimitName = QuotaName | 'rate' | 'visitor' | 'network'

/** A token bucket from which an execution takes one unit. */
export interface Draw {
  limit: QuotaName
  bucket: string
  rate: BucketRate
}

/** The part of a plan that admission needs, as plain data for the thread of SQLite. */
export interface PlanQuota {
  draws: Readonly<Record<ExecutionKind, readonly Draw[]>>
  /** Null: no limit. */
  storedBytes: number | null
}

export const MAIN_BUCKET = 'executions'
export const ANONYMOUS_BUCKET = 'anonymous'

export const QUOTAS: Readonly<Record<Tier, PlanQuota>> = {
  free: quotaOf('free'),
  pro: quotaOf('pro'),
  enterprise: quotaOf('enterprise'),
}

function quotaOf(tier: Tier): PlanQuota {
  const { executionsPerHour, executionsBurst, anonymousPerHour, anonymousBurst, storedBytes } = TIERS[tier]
  const own = drawsOf('quota', MAIN_BUCKET, executionsPerHour, executionsBurst)
  const anonymous = drawsOf('anonymous', ANONYMOUS_BUCKET, anonymousPerHour, anonymousBurst)
  return { draws: { execute: own, capability: own, broker: [...anonymous, ...own] }, storedBytes }
}

function drawsOf(limit: QuotaName, bucket: string, units: number | null, burst: number | null): Draw[] {
  return units === null || burst === null ? [] : [{ limit, bucket, rate: perHour(units, burst) }]
}

/** The token buckets of an execution. Of two that refuse equally long, the first one is reported. */
export function drawsFor(tier: Tier, kind: ExecutionKind): readonly Draw[] {
  return QUOTAS[tier].draws[kind]
}

/** The quota buckets of a plan, and when each is full if empty now. One emptied under a larger plan takes longer. */
export function emptiestBuckets(tier: Tier, now: number): { bucket: string; emptyUntil: number }[] {
  return drawsFor(tier, 'broker').map(({ bucket, rate }) => ({ bucket, emptyUntil: now + rate.unitMs * rate.burst }))
}
