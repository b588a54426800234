import type { Tier } from '@svc/contract'
import { sql } from 'kysely'
import { isPostgres } from '../store/recordset.ts'
import { hasEffect, matching } from '../store/rows.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { addEvents } from './outbox-store.ts'
import type { AlertRange } from './quota-alert-rules.ts'
import type { AccountEvent } from './rules.ts'

/** A bucket whose use has left the range of the threshold that was last told. */
export interface ChangedUse {
  ownerId: string
  tier: Tier
  bucket: string
  fullAt: number
  /** Null where none was ever told. */
  told: number | null
}

/**
 * Some of the buckets that have left their range at `now`. No index holds `full_at`, which each execution writes: what costs is
 * one pass over the table. Accounts are read for what is left of it: buckets in use, and those told of.
 */
export async function readChangedUses(
  db: Db,
  { ranges, now, limit }: { ranges: readonly AlertRange[]; now: number; limit: number },
): Promise<ChangedUse[]> {
  const rows = ranges.map(({ tier, bucket, told, least, below }) => {
    return sql`(${sql.lit(tier)}, ${sql.lit(bucket)}, ${sql.lit(told)}, ${sql.lit(least)}, ${sql.lit(below)})`
  })
  const owed = Math.min(...ranges.filter(({ told }) => told === 0).map(({ below }) => below))
  const changed = sql<ChangedUse>`(
    with ranges (tier, bucket, told, least, below) as (values ${sql.join(rows)}),
    looked_at as (
      select owner_id, bucket, full_at, coalesce(percent, 0) as told, percent from allowances
      left join quota_alerts using (owner_id, bucket) where full_at >= ${now + owed}
      union all select owner_id, bucket, full_at, percent, percent from quota_alerts
      join allowances using (owner_id, bucket) where percent > 0 and full_at < ${now + owed}
    )
    select looked_at.owner_id as "ownerId", owners.tier as tier, looked_at.bucket as bucket, full_at as "fullAt", percent as told
    from looked_at
    join owners on owners.owner_id = looked_at.owner_id
    join ranges on ranges.tier = owners.tier and ranges.bucket = looked_at.bucket and ranges.told = looked_at.told
    where full_at - ${now} >= below or full_at - ${now} < least limit ${limit}
  )`.as('changed')
  if (!isPostgres(db)) return db.selectFrom(changed).selectAll().execute()
  return inTransaction(db, async (tx) => {
    // Sessions read by indexes alone, which takes twice as long here.
    await sql`set local enable_seqscan = on`.execute(tx)
    return tx.selectFrom(changed).selectAll().execute()
  })
}

/** Stores a threshold as told, with its event. Of several replicas that do so at once, one does. */
export function storeTold(db: Db, newId: () => string, use: ChangedUse & Told): Promise<void> {
  const { ownerId, bucket, told, percent, event } = use
  const row = { owner_id: ownerId, bucket }
  return inTransaction(db, async (tx) => {
    const inserting = tx.insertInto('quota_alerts').values({ ...row, percent })
    const changing =
      told === null
        ? inserting.onConflict((conflict) => conflict.doNothing())
        : tx
            .updateTable('quota_alerts')
            .set({ percent })
            .where(matching('quota_alerts', { ...row, percent: told }))
    if ((await hasEffect(changing)) && event) await addEvents(tx, newId, [event])
  })
}

interface Told {
  percent: number
  /** The event to tell; null where there is none. */
  event: AccountEvent | null
}
