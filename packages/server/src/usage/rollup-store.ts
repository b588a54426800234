import { sql } from 'kysely'
import { insertRecordset, recordset } from '../store/recordset.ts'
import { DURATION_BUCKET_COLUMNS, EXECUTION_COUNTERS } from '../store/schema.ts'
import type { Tx } from '../store/transaction.ts'
import type { CounterIncrement, UsageTotals } from './rollup-rules.ts'
import { addStoredBytes } from './stored-bytes-store.ts'

const KEY = ['owner_id', 'grain', 'at', 'span', 'runtime_id', 'project_id']
const EXECUTIONS = counters('execution_rollups', KEY, [...EXECUTION_COUNTERS, ...DURATION_BUCKET_COLUMNS])
const CALLS = counters(
  'call_rollups',
  [...KEY, 'capability'],
  ['calls', 'failed', 'unknown', ...DURATION_BUCKET_COLUMNS],
)
const USES = { of: 'deployments', columns: ['owner_id', 'runtime_id', 'version', 'last_used_at'] } as const

function counters(of: 'execution_rollups' | 'call_rollups', key: readonly string[], counted: readonly string[]) {
  const sums = counted.map((counter) => `${counter} = ${of}.${counter} + excluded.${counter}`)
  return { of, columns: [...key, ...counted], onConflict: `on conflict (${key}) do update set ${sums}` }
}

/** Adds usages to the counters, and to the stored bytes of their accounts. */
export async function addToCounters(tx: Tx, totals: UsageTotals): Promise<void> {
  await insertRecordset(tx, EXECUTIONS, totals.executions.map(toRow))
  await insertRecordset(tx, CALLS, totals.calls.map(toRow))
  // Accounts before deployments: a deployment locks them in this order.
  await addStoredBytes(tx, totals.storedBytes)
  if (totals.deploymentUses.length === 0) return
  await sql`update deployments set last_used_at = given.last_used_at from ${recordset(tx, USES, totals.deploymentUses)}
    where deployments.owner_id = given.owner_id and deployments.runtime_id = given.runtime_id
      and deployments.version = given.version and coalesce(deployments.last_used_at, 0) < given.last_used_at`.execute(
    tx,
  )
}

// Two spreads would take thirty times as long.
function toRow({ key, counts }: CounterIncrement) {
  return Object.assign({}, key, counts)
}
