import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'

const DAY_MS = 86_400_000

/** The earliest start, inclusive, whose trace this plan still keeps. What started before it is neither shown nor kept. */
export function retainedSince(tier: Tier, now: number): number {
  return now - TIERS[tier].retentionDays * DAY_MS
}

/** The end of the hours and days that this plan's analytics show no more, with a day to spare for ranges in other zones. */
export function countedSince(tier: Tier, now: number): number {
  return now - (TIERS[tier].analyticsDays + 1) * DAY_MS
}
