import { Tier } from '@svc/contract'
import { drawsFor } from '../usage/quota-rules.ts'
import { available, type BucketRate } from '../usage/token-bucket.js'

/** Of a quota's burst, in percent. */
const THRESHOLDS = [50, 80, 100] as const
/** A threshold is told again once the share has been this far below it. */
const HYSTERESIS = 10

/** The threshold that was last told, after a share of the burst is in use. `isNews`: it is to be told. */
export function judgeUse(usedPercent: number, told: number): { percent: number; isNews: boolean } {
  const reached = THRESHOLDS.findLast((threshold) => usedPercent >= threshold) ?? 0
  if (reached > told) return { percent: reached, isNews: true }
  const kept = THRESHOLDS.findLast((threshold) => threshold <= told && usedPercent >= threshold - HYSTERESIS) ?? 0
  return { percent: kept, isNews: false }
}

export function usedPercent(fullAt: number, rate: BucketRate, now: number): number {
  return (100 * (rate.burst - available(fullAt, rate, now))) / rate.burst
}

/** While a bucket takes from `least` up to `below` milliseconds to fill up, what {@link judgeUse} says stays `told`. */
export interface AlertRange {
  tier: Tier
  bucket: string
  told: number
  least: number
  below: number
}

/** The ranges of every quota of every plan. */
export function alertRanges(): AlertRange[] {
  return Tier.options.flatMap((tier) =>
    drawsFor(tier, 'broker').flatMap(({ bucket, rate }) =>
      [0, ...THRESHOLDS].map((told) => {
        const next = THRESHOLDS.find((threshold) => threshold > told)
        const below = next === undefined ? Number.MAX_SAFE_INTEGER : leastOwedMs(next, rate)
        const least = told === 0 ? Number.MIN_SAFE_INTEGER : leastOwedMs(told - HYSTERESIS, rate)
        return { tier, bucket, told, least, below }
      }),
    ),
  )
}

/** The shortest time that a bucket takes to fill up with so many percent of its burst in use: units count as begun. */
function leastOwedMs(percent: number, { burst, unitMs }: BucketRate): number {
  return (Math.ceil((percent * burst) / 100) - 1) * unitMs + 1
}
