import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { StorageBudget } from '../usage/storage-budget-rules.ts'
import { createBatchStore } from './batch-store.ts'
import { withinBudget } from './budget-rules.ts'
import { BEGUN_COLUMNS } from './column-rules.js'
import type { StoredLease } from './node-watch-rules.ts'
import { interruptedEnd } from './settlement-rules.ts'

// Spelled out, as the index of what runs wants it: a parameter could be anything.
const RUNNING = sql.lit('running' as const)

/** A node's claim, and since when it knows leases to have been renewed without a gap. */
interface Lease extends StoredLease {
  steadySince: number
}

/** A lease as it stands in the store, and the settings of its node: null for an earlier release. */
export interface OtherLease extends StoredLease {
  settings: string | null
}

export async function takeLease(
  db: Kysely<Schema>,
  { nodeId, until, startedAt, steadySince, settings }: Lease & { startedAt: number; settings: string | null },
): Promise<void> {
  await db
    .insertInto('nodes')
    .values({ node_id: nodeId, lease_until: until, started_at: startedAt, steady_since: steadySince, settings })
    .execute()
}

export function readOtherLeases(db: Kysely<Schema>, nodeId: string): Promise<OtherLease[]> {
  return db
    .selectFrom('nodes')
    .select(['node_id as nodeId', 'lease_until as until', 'settings'])
    .where('node_id', '!=', nodeId)
    .orderBy('node_id')
    .execute()
}

/** Since when leases have been renewed without a gap, as those nodes know it that hold theirs beyond `until`; or null. */
export async function readSteadySince(db: Kysely<Schema>, until: number): Promise<number | null> {
  const row = await db
    .selectFrom('nodes')
    .select((nodes) => nodes.fn.max<number | null>('steady_since').as('since'))
    .where('lease_until', '>', until)
    .executeTakeFirst()
  return row?.since ?? null
}

/**
 * Renews a node's lease. False when it has none any more: another node has failed what it ran. Changes nothing after a
 * later renewal: one that was given up long ago may still arrive, and the node has claimed nothing beyond `latestUntil` so
 * far. What a clock claimed that was ahead is set right.
 */
export async function extendLease(
  db: Kysely<Schema>,
  { nodeId, latestUntil, ...claimed }: Lease & { latestUntil: number },
): Promise<boolean> {
  const bigint = (at: number) => sql<number>`cast(${at} as bigint)`
  const unlessLate = (column: 'lease_until' | 'steady_since', at: number) =>
    sql<number>`case when lease_until > ${bigint(latestUntil)} then ${sql.ref(column)} else ${bigint(at)} end`
  const result = await db
    .updateTable('nodes')
    .set({
      lease_until: unlessLate('lease_until', claimed.until),
      steady_since: unlessLate('steady_since', claimed.steadySince),
    })
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Gives a lease up; what the node still runs is for others to fail. */
export async function dropLease(db: Kysely<Schema>, nodeId: string): Promise<void> {
  await db.deleteFrom('nodes').where('node_id', '=', nodeId).execute()
}

// The calls of so many executions are read and written as one text, and each may hold all that its model said.
const SWEEP_ROWS = 100

export interface Sweep {
  now: number
  /** The node that sweeps. */
  nodeId: string
  /** Since when its own executions can no longer be under way, whatever their rows say. Null: they are left alone. */
  overdueBefore: number | null
  /** Nodes taken for dead, unless they have renewed their lease since it was read. */
  deadNodes: readonly StoredLease[]
}

/** Fails every execution that nobody runs any more, and returns how many there were. */
export async function failAbandoned(db: Kysely<Schema>, { now, deadNodes, ...sweep }: Sweep): Promise<number> {
  // First, and for good: from then on those nodes write nothing, so that what is read next is all that they have sent.
  for (const { nodeId, until } of deadNodes) {
    await db.deleteFrom('nodes').where('node_id', '=', nodeId).where('lease_until', '=', until).execute()
  }
  const write = createBatchStore(db)
  const storage = new StorageBudget()
  let count = 0
  for (;;) {
    const abandoned = await readAbandoned(db, sweep)
    await noteStored(db, storage, abandoned)
    for (const nodeId of new Set(abandoned.map(({ node_id }) => node_id ?? ''))) {
      const rows = abandoned.filter(({ node_id }) => node_id === nodeId)
      const settlements = rows.map((row) => withinBudget(storage, row, interruptedEnd(row, now)))
      const at = { nodeId, now, isRepeat: false, isTakeOver: true, beforeCommit: () => {} }
      const outcomes = await write({ admissions: [], calls: [], settlements }, at)
      count += outcomes.settlements.filter((isEnded) => isEnded).length
    }
    if (abandoned.length < SWEEP_ROWS) return count
  }
}

function readAbandoned(db: Kysely<Schema>, { nodeId, overdueBefore }: Pick<Sweep, 'nodeId' | 'overdueBefore'>) {
  return db
    .selectFrom('executions')
    .select([...BEGUN_COLUMNS, 'node_id'])
    .where('status', '=', RUNNING)
    .where((where) =>
      where.or([
        where('node_id', 'not in', where.selectFrom('nodes').select('nodes.node_id')),
        where.and([where('node_id', '=', nodeId), where('started_at', '<', overdueBefore ?? 0)]),
      ]),
    )
    .orderBy('execution_id')
    .limit(SWEEP_ROWS)
    .execute()
}

/** Notes the stored bytes of the accounts of these rows. */
async function noteStored(db: Kysely<Schema>, storage: StorageBudget, rows: readonly { owner_id: string }[]) {
  if (rows.length === 0) return
  const owners = await db
    .selectFrom('owners')
    .select(['owner_id', 'tier', 'stored_bytes'])
    .where('owner_id', 'in', [...new Set(rows.map(({ owner_id }) => owner_id))])
    .execute()
  for (const { owner_id, tier, stored_bytes } of owners) storage.note(owner_id, { tier, storedBytes: stored_bytes })
}
