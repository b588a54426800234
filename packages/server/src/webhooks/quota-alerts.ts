import type { Tier } from '@svc/contract'
import type { CoreDeps } from '../lib/core-deps.ts'
import { inTransaction } from '../store/transaction.ts'
import { drawsFor, PLANS } from '../usage/rules.ts'
import { available, type BucketRate } from '../usage/token-bucket.js'
import { addEvents } from './outbox-store.ts'

/** How often quotas are looked at. */
export const QUOTA_ALERT_MS = 10_000

/** Of a quota's burst, in percent. */
const THRESHOLDS = [50, 80, 100] as const
/** A threshold is told again once the share has been this far below it. */
const HYSTERESIS = 10

const ACCOUNTS_PER_READ = 500

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

type AlertDeps = Pick<CoreDeps, 'db' | 'clock' | 'newId'>

/** Tells accounts how much of their quotas is in use. Replicas may do so at once: one of them tells. */
export async function alertQuotas(deps: AlertDeps): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    const rows = await readUsing(deps, after)
    for (const { ownerId, tier } of rows) await alertAccount(deps, ownerId, tier)
    after = rows.length < ACCOUNTS_PER_READ ? null : (rows.at(-1)?.ownerId ?? null)
  }
}

/** Of all plans, the shortest time that a quota at the first threshold takes to fill up. */
const LEAST_OWED_MS = Math.min(
  ...Object.values(PLANS).flatMap(({ draws }) =>
    draws.broker.map(({ rate }) => (rate.unitMs * rate.burst * THRESHOLDS[0]) / 100),
  ),
)

/** Accounts that may have reached a threshold, or were told of one. */
function readUsing({ db, clock }: AlertDeps, after: string) {
  const buckets = PLANS.free.draws.broker.map(({ bucket }) => bucket)
  const using = db
    .selectFrom('allowances')
    .select('owner_id')
    .where('bucket', 'in', buckets)
    .where('full_at', '>=', clock.now() + LEAST_OWED_MS)
  const told = db.selectFrom('quota_alerts').select('owner_id').where('percent', '>', 0)
  return db
    .selectFrom('owners')
    .select(['owner_id as ownerId', 'tier'])
    .where('owner_id', '>', after)
    .where('owner_id', 'in', using.union(told))
    .orderBy('owner_id')
    .limit(ACCOUNTS_PER_READ)
    .execute()
}

async function alertAccount({ db, clock, newId }: AlertDeps, ownerId: string, tier: Tier): Promise<void> {
  const now = clock.now()
  const [buckets, alerts] = await Promise.all([
    db.selectFrom('allowances').select(['bucket', 'full_at']).where('owner_id', '=', ownerId).execute(),
    db.selectFrom('quota_alerts').select(['bucket', 'percent']).where('owner_id', '=', ownerId).execute(),
  ])
  for (const { bucket, rate } of drawsFor(tier, 'broker')) {
    const fullAt = buckets.find((row) => row.bucket === bucket)?.full_at ?? 0
    const told = alerts.find((row) => row.bucket === bucket)?.percent ?? null
    const { percent, isNews } = judgeUse(usedPercent(fullAt, rate, now), told ?? 0)
    if (percent === (told ?? 0)) continue
    await inTransaction(db, async (tx) => {
      const changed =
        told === null
          ? await tx
              .insertInto('quota_alerts')
              .values({ owner_id: ownerId, bucket, percent })
              .onConflict((conflict) => conflict.doNothing())
              .returning('percent')
              .execute()
          : await tx
              .updateTable('quota_alerts')
              .set({ percent })
              .where((eb) => eb.and({ owner_id: ownerId, bucket, percent: told }))
              .returning('percent')
              .execute()
      if (changed.length === 0 || !isNews) return
      const data = { quota: bucket, percent }
      const event = { ownerId, runtimeId: null, type: 'quota.threshold', data, at: now } as const
      await addEvents(tx, () => newId('delivery'), [event])
    })
  }
}
