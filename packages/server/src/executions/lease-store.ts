import { type Kysely, type Selectable, sql } from 'kysely'
import { givenRows } from '../database/given-rows.ts'
import type { ExecutionsTable, Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { journalUsage } from '../usage/journal-store.ts'
import type { Usage } from '../usage/rollup-rules.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'
import { interruptedText, OUTCOME_UNKNOWN, readCalls } from './call-rules.ts'
import type { StoredLease } from './node-watch-rules.ts'
import { INTERRUPTED } from './settlement-rules.ts'

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

/** Takes a lease for a node that holds none. */
export async function takeLease(db: Kysely<Schema>, lease: Lease & { startedAt: number }): Promise<void> {
  await db
    .insertInto('nodes')
    .values({
      node_id: lease.nodeId,
      lease_until: lease.until,
      started_at: lease.startedAt,
      steady_since: lease.steadySince,
    })
    .execute()
}

/** The leases of all nodes but this one. */
export async function readOtherLeases(db: Kysely<Schema>, nodeId: string): Promise<StoredLease[]> {
  const rows = await db
    .selectFrom('nodes')
    .select(['node_id', 'lease_until'])
    .where('node_id', '!=', nodeId)
    .orderBy('node_id')
    .execute()
  return rows.map((row) => ({ nodeId: row.node_id, until: row.lease_until }))
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
  let count = 0
  for (;;) {
    const ended = await inTransaction(db, (tx) => failSome(tx, sweep))
    count += ended
    if (ended < SWEEP_ROWS) return count
  }
}

async function failSome(tx: Tx, sweep: Sweep): Promise<number> {
  await removeDeadNodes(tx, sweep)
  return failRunning(tx, await lockAbandoned(tx, sweep), sweep.now)
}

// Locked first: what these executions sent until then is seen by the statements that follow.
async function lockAbandoned(tx: Tx, { nodeId, overdueBefore }: Sweep): Promise<string[]> {
  const rows = await tx
    .selectFrom('executions')
    .select('execution_id')
    .where('status', '=', RUNNING)
    .where((where) =>
      where.or([
        where('node_id', 'not in', where.selectFrom('nodes').select('nodes.node_id')),
        ...(overdueBefore === null
          ? []
          : [where.and([where('node_id', '=', nodeId), where('started_at', '<', overdueBefore)])]),
      ]),
    )
    .limit(SWEEP_ROWS)
    .forUpdate()
    .execute()
  return rows.map(({ execution_id }) => execution_id)
}

const ENDED = {
  execution_id: 'text',
  owner_id: 'text',
  error: 'text',
  completed_at: 'bigint',
  duration_ms: 'bigint',
  call_count: 'bigint',
  calls: 'text',
} as const

async function failRunning(tx: Tx, executionIds: readonly string[], now: number): Promise<number> {
  if (executionIds.length === 0) return 0
  const running = await tx
    .selectFrom('executions')
    .select(OF_RUNNING)
    .where('execution_id', 'in', executionIds)
    .execute()
  const calls = new Map(running.map((row) => [row.execution_id, readCalls(row.calls)]))
  const earlier = await failEarlierCalls(tx, running)
  const usages: Usage[] = []
  const rows = running.map((row) => {
    const own = calls.get(row.execution_id) ?? []
    const rows = earlier.filter(({ execution_id }) => execution_id === row.execution_id)
    usages.push(interruptedUsage(row, [...own, ...rows], now))
    return {
      execution_id: row.execution_id,
      owner_id: row.owner_id,
      error: INTERRUPTED,
      completed_at: now,
      duration_ms: now - row.started_at,
      call_count: own.length + rows.length,
      calls: interruptedText(own),
    }
  })
  const { rows: ended } = await sql<{ execution_id: string; bytes: number }>`update executions
    set status = 'failed', finish_reason = 'error', error = given.error, completed_at = given.completed_at,
      duration_ms = given.duration_ms, call_count = given.call_count, calls = given.calls
    from ${givenRows(tx, ENDED, rows)}
    where executions.execution_id in (${sql.join(executionIds)}) and executions.execution_id = given.execution_id
      and executions.owner_id = given.owner_id
    returning executions.execution_id, ${sql.raw(SQL_BYTES.executions)} as bytes`.execute(tx)
  const bytes = new Map(ended.map((row) => [row.execution_id, row.bytes]))
  for (const [index, { execution_id }] of running.entries()) {
    const usage = usages[index]
    if (usage) usage.storedBytes += bytes.get(execution_id) ?? 0
  }
  await journalUsage(tx, usages)
  return running.length
}

const OF_RUNNING = [
  'owner_id',
  'execution_id',
  'runtime_id',
  'project_id',
  'kind',
  'started_at',
  'deployment_version',
  'calls',
] as const

type RunningRow = Pick<Selectable<ExecutionsTable>, (typeof OF_RUNNING)[number]>

interface EarlierCall {
  execution_id: string
  capability: string
  bytes: number
}

/** Fails calls that an earlier release had written as rows of their own. */
async function failEarlierCalls(tx: Tx, running: readonly RunningRow[]): Promise<EarlierCall[]> {
  return tx
    .updateTable('capability_calls')
    .set({ status: 'failed', error: OUTCOME_UNKNOWN })
    .where(
      'owner_id',
      'in',
      running.map(({ owner_id }) => owner_id),
    )
    .where(
      'execution_id',
      'in',
      running.map(({ execution_id }) => execution_id),
    )
    .where('status', '=', 'dispatched')
    .returning(['execution_id', 'capability'])
    .returning(sql<number>`${sql.raw(SQL_BYTES.capability_calls)}`.as('bytes'))
    .execute()
}

// None of the calls has ended: they are written as ended together with their execution.
function interruptedUsage(
  row: RunningRow,
  calls: readonly { capability: string; bytes?: number }[],
  now: number,
): Usage {
  return {
    ownerId: row.owner_id,
    runtimeId: row.runtime_id,
    projectId: row.project_id,
    deploymentVersion: row.deployment_version,
    storedBytes: calls.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    startedAt: row.started_at,
    isCompleted: false,
    isAnonymous: row.kind === 'broker',
    calls: calls.map(({ capability }) => ({ capability, isCompleted: false, durationMs: null })),
    inputTokens: 0,
    outputTokens: 0,
    durationMs: Math.max(0, now - row.started_at),
  }
}

async function removeDeadNodes(tx: Tx, { deadNodes }: Sweep): Promise<void> {
  for (const { nodeId, until } of deadNodes) {
    await tx.deleteFrom('nodes').where('node_id', '=', nodeId).where('lease_until', '=', until).execute()
  }
}
