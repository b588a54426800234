import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'

const DAY_MS = 86_400_000

/** The earliest start, inclusive, of an execution whose trace the plan keeps and shows. */
export function retainedSince(tier: Tier, now: number): number {
  return now - TIERS[tier].retentionDays * DAY_MS
}

/** Counters that end before this can be deleted: no analytics of the plan reach back to them, in any time zone. */
export function countedSince(tier: Tier, now: number): number {
  return now - (TIERS[tier].analyticsDays + 1) * DAY_MS
}
