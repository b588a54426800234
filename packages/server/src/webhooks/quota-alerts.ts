import type { CoreDeps } from '../lib/core-deps.ts'
import { drawsFor } from '../usage/quota-rules.ts'
import { alertRanges, judgeUse, usedPercent } from './quota-alert-rules.ts'
import { type ChangedUse, readChangedUses, storeTold } from './quota-alerts-store.ts'

/** How often quotas are looked at. */
export const QUOTA_ALERT_MS = 10_000

/** More of them wait for the next run, in which those of this one are no longer found. */
const MOST_AT_ONCE = 1_000
const RANGES = alertRanges()

type AlertDeps = Pick<CoreDeps, 'db' | 'clock' | 'newId'>

/** Tells accounts how much of their quotas is in use. Replicas may do so at once: one of them tells. */
export async function alertQuotas(deps: AlertDeps): Promise<void> {
  const now = deps.clock.now()
  const changed = await readChangedUses(deps.db, { ranges: RANGES, now, limit: MOST_AT_ONCE })
  for (const use of changed) await alertOf(deps, use, now)
}

async function alertOf({ db, newId }: AlertDeps, use: ChangedUse, now: number): Promise<void> {
  const { ownerId, tier, bucket, fullAt, told } = use
  const draw = drawsFor(tier, 'broker').find((one) => one.bucket === bucket)
  if (!draw) return
  const { percent, isNews } = judgeUse(usedPercent(fullAt, draw.rate, now), told ?? 0)
  const data = { quota: bucket, percent }
  const event = { ownerId, runtimeId: null, type: 'quota.threshold', data, at: now } as const
  await storeTold(db, () => newId('delivery'), { ...use, percent, event: isNews ? event : null })
}
