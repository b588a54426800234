import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { StorageBudget } from '../usage/storage-budget-rules.ts'
import type { NewRow } from './batch-rules.ts'
import { createBatchStore, type WriteBatch } from './batch-store.ts'
import { withinBudget } from './budget-rules.ts'
import { BEGUN_COLUMNS } from './column-rules.js'
import { type CallRow, toStoredCall } from './history-store.ts'
import type { StoredLease } from './node-watch-rules.ts'
import { interruptedEnd } from './settlement-rules.ts'

// Spelled out, as the index of what runs wants it: a parameter could be anything.
const RUNNING = sql.lit('running' as const)

/** A node's claim, and since when it knows leases to have been renewed without a gap. */
export interface Lease {
  nodeId: string
  until: number
  steadySince: number
}

/** What a node claims anew. */
export interface Renewal extends Lease {
  /** The latest end that it has ever claimed, with this renewal or before: a lease that ends later was renewed later. */
  latestUntil: number
}

/** A lease as it stands in the store, and the settings of its node: null for an earlier release. */
export interface OtherLease extends StoredLease {
  settings: string | null
}

/** Takes a lease for a node that holds none. */
export async function takeLease(
  db: Kysely<Schema>,
  lease: Lease & { startedAt: number; settings: string | null },
): Promise<void> {
  await db
    .insertInto('nodes')
    .values({
      node_id: lease.nodeId,
      lease_until: lease.until,
      started_at: lease.startedAt,
      steady_since: lease.steadySince,
      settings: lease.settings,
    })
    .execute()
}

/** The leases of all nodes but this one. */
export async function readOtherLeases(db: Kysely<Schema>, nodeId: string): Promise<OtherLease[]> {
  const rows = await db
    .selectFrom('nodes')
    .select(['node_id', 'lease_until', 'settings'])
    .where('node_id', '!=', nodeId)
    .orderBy('node_id')
    .execute()
  return rows.map((row) => ({ nodeId: row.node_id, until: row.lease_until, settings: row.settings }))
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
 * later renewal: one that was given up long ago may still arrive. What a clock claimed that was ahead is set right.
 */
export async function extendLease(db: Kysely<Schema>, { nodeId, latestUntil, ...claimed }: Renewal): Promise<boolean> {
  const unlessLate = (column: 'lease_until' | 'steady_since', at: number) =>
    sql<number>`case when lease_until > ${toBigint(latestUntil)} then ${sql.ref(column)} else ${toBigint(at)} end`
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

function toBigint(at: number) {
  return sql<number>`cast(${at} as bigint)`
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
export async function failAbandoned(db: Kysely<Schema>, sweep: Sweep): Promise<number> {
  // First, and for good: from then on those nodes write nothing, so that what is read next is all that they have sent.
  for (const { nodeId, until } of sweep.deadNodes) {
    await db.deleteFrom('nodes').where('node_id', '=', nodeId).where('lease_until', '=', until).execute()
  }
  const write = createBatchStore(db)
  const storage = new StorageBudget()
  let count = 0
  for (;;) {
    const abandoned = await readAbandoned(db, sweep)
    const nodes = new Set(abandoned.map(({ node_id }) => node_id ?? ''))
    await noteStored(db, storage, abandoned)
    for (const nodeId of nodes) {
      const rows = abandoned.filter(({ node_id }) => node_id === nodeId)
      count += await interrupt(write, rows, { nodeId, now: sweep.now, storage })
    }
    await removeEarlierCalls(db, abandoned)
    if (abandoned.length < SWEEP_ROWS) return count
  }
}

async function readAbandoned(db: Kysely<Schema>, { nodeId, overdueBefore }: Sweep) {
  const rows = await db
    .selectFrom('executions')
    .select([...BEGUN_COLUMNS, 'node_id'])
    .where('status', '=', RUNNING)
    .where((where) =>
      where.or([
        where('node_id', 'not in', where.selectFrom('nodes').select('nodes.node_id')),
        ...(overdueBefore === null
          ? []
          : [where.and([where('node_id', '=', nodeId), where('started_at', '<', overdueBefore)])]),
      ]),
    )
    .orderBy('execution_id')
    .limit(SWEEP_ROWS)
    .execute()
  const earlier = await readEarlierCalls(db, rows)
  return rows.map((row) => {
    const own = earlier.filter(({ execution_id }) => execution_id === row.execution_id)
    return { ...row, calls: row.calls ?? own.map((call) => JSON.stringify(toStoredCall(call))).join(',') }
  })
}

async function interrupt(
  write: WriteBatch,
  rows: readonly NewRow[],
  { nodeId, now, storage }: { nodeId: string; now: number; storage: StorageBudget },
) {
  const settlements = rows.map((row) => withinBudget(storage, row, interruptedEnd(row, now)))
  const at = { nodeId, now, isRepeat: false, isTakeOver: true, beforeCommit: () => {} }
  const outcomes = await write({ admissions: [], calls: [], settlements }, at)
  return outcomes.settlements.filter((isEnded) => isEnded).length
}

/** What the accounts of these rows have stored. */
async function noteStored(db: Kysely<Schema>, storage: StorageBudget, rows: readonly NewRow[]): Promise<void> {
  if (rows.length === 0) return
  const owners = await db
    .selectFrom('owners')
    .select(['owner_id', 'tier', 'stored_bytes'])
    .where('owner_id', 'in', [...new Set(rows.map(({ owner_id }) => owner_id))])
    .execute()
  for (const { owner_id, tier, stored_bytes } of owners) storage.note(owner_id, { tier, storedBytes: stored_bytes })
}

type Named = Pick<NewRow, 'owner_id' | 'execution_id'>

/** Calls that an earlier release had written as rows of their own, and their executions hold from now on. */
async function readEarlierCalls(db: Kysely<Schema>, running: readonly Named[]): Promise<CallRow[]> {
  if (running.length === 0) return []
  return db.selectFrom('capability_calls').selectAll().where(ofExecutions(running)).orderBy('ordinal').execute()
}

async function removeEarlierCalls(db: Kysely<Schema>, ended: readonly Named[]): Promise<void> {
  if (ended.length > 0) await db.deleteFrom('capability_calls').where(ofExecutions(ended)).execute()
}

function ofExecutions(rows: readonly Named[]) {
  const [owners, executions] = [rows.map(({ owner_id }) => owner_id), rows.map(({ execution_id }) => execution_id)]
  return (where: ExpressionBuilder<Schema, 'capability_calls'>) =>
    where.and([where('owner_id', 'in', owners), where('execution_id', 'in', executions)])
}
