import { sql } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'
import { StorageBudget } from '../usage/storage-budget-rules.ts'
import { createBatchStore } from './batch-store.ts'
import { BEGUN_COLUMNS } from './column-rules.js'
import type { StoredLease } from './node-watch-rules.ts'
import { interruptedEnd, settlementWithinBudget } from './settlement-rules.ts'

/** A literal, so that the partial indexes of running and of ended executions are used. */
export const RUNNING = sql.lit('running' as const)

/** `steadySince`: since when the node has renewed without a gap. */
interface Lease extends StoredLease {
  steadySince: number
}

/** `settings` is JSON text; null where the node stored none. */
export interface OtherLease extends StoredLease {
  settings: string | null
}

export async function takeLease(db: Db, node: Schema['nodes']): Promise<void> {
  await db.insertInto('nodes').values(node).execute()
}

export function readOtherLeases(db: Db, nodeId: string): Promise<OtherLease[]> {
  return db
    .selectFrom('nodes')
    .select(['node_id as nodeId', 'lease_until as until', 'settings'])
    .where('node_id', '!=', nodeId)
    .orderBy('node_id')
    .execute()
}

/** The latest `steadySince` of nodes whose leases end after `until`, or null. */
export async function readSteadySince(db: Db, until: number): Promise<number | null> {
  const row = await db
    .selectFrom('nodes')
    .select((nodes) => nodes.fn.max<number | null>('steady_since').as('since'))
    .where('lease_until', '>', until)
    .executeTakeFirst()
  return row?.since ?? null
}

/**
 * Renews a lease, also to an earlier end where a clock was ahead. False where the node has none: another node has failed
 * its executions. A renewal that arrives late, after one that ends past `latestUntil`, changes nothing.
 */
export async function extendLease(
  db: Db,
  { nodeId, latestUntil, until, steadySince }: Lease & { latestUntil: number },
): Promise<boolean> {
  const bigint = (at: number) => sql<number>`cast(${at} as bigint)`
  const unlessLate = (column: 'lease_until' | 'steady_since', at: number) =>
    sql<number>`case when lease_until > ${bigint(latestUntil)} then ${sql.ref(column)} else ${bigint(at)} end`
  const result = await db
    .updateTable('nodes')
    .set({ lease_until: unlessLate('lease_until', until), steady_since: unlessLate('steady_since', steadySince) })
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function dropLease(db: Db, nodeId: string): Promise<void> {
  await db.deleteFrom('nodes').where('node_id', '=', nodeId).execute()
}

// Their calls are read and written as one text, and each may hold large payloads.
const SWEEP_ROWS = 100

export interface Sweep {
  now: number
  nodeId: string
  /** Its own executions that started earlier are failed, too. Null: none are. */
  overdueBefore: number | null
  /** Nodes taken for dead, unless they have renewed their lease since it was read. */
  deadNodes: readonly StoredLease[]
}

/** Fails every execution that no node runs, and returns their number. */
export async function failAbandoned(db: Db, { now, deadNodes, ...sweep }: Sweep): Promise<number> {
  // First: from then on these nodes write nothing, so that the rows read next are final.
  for (const { nodeId, until } of deadNodes) {
    await db.deleteFrom('nodes').where('node_id', '=', nodeId).where('lease_until', '=', until).execute()
  }
  const write = createBatchStore(db)
  const storage = new StorageBudget()
  let count = 0
  for (;;) {
    const abandoned = await readAbandoned(db, sweep)
    for (const { owner_id, tier, storedBytes } of abandoned) {
      if (tier !== null && storedBytes !== null) storage.note(owner_id, { tier, storedBytes })
    }
    for (const nodeId of new Set(abandoned.map(({ node_id }) => node_id ?? ''))) {
      const rows = abandoned.filter(({ node_id }) => node_id === nodeId)
      const settlements = rows.map((row) => settlementWithinBudget(storage, row, interruptedEnd(row, now)))
      const context = { nodeId, now, isRepeat: false, isTakeOver: true, beforeCommit: () => {} }
      const outcomes = await write({ admissions: [], calls: [], settlements }, context)
      count += outcomes.settlements.filter((isEnded) => isEnded).length
    }
    if (abandoned.length < SWEEP_ROWS) return count
  }
}

function readAbandoned(db: Db, { nodeId, overdueBefore }: Pick<Sweep, 'nodeId' | 'overdueBefore'>) {
  return db
    .selectFrom('executions')
    .select([...BEGUN_COLUMNS, 'node_id'])
    .select((eb) => {
      const owner = eb.selectFrom('owners').whereRef('owners.owner_id', '=', 'executions.owner_id')
      return [owner.select('tier').as('tier'), owner.select('stored_bytes').as('storedBytes')]
    })
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
