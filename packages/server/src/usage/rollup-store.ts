import { sql } from 'kysely'
import { insertRecordset, recordset } from '../store/recordset.ts'
import { BUCKET_COLUMNS, EXECUTION_COUNTERS } from '../store/schema.ts'
import type { Tx } from '../store/transaction.ts'
import type { RollUp, Rollup } from './rollup-rules.ts'
import { addStoredBytes } from './stored-bytes-store.ts'

const KEY = ['owner_id', 'grain', 'at', 'span', 'runtime_id', 'project_id']
const EXECUTIONS = counters('execution_rollups', KEY, [...EXECUTION_COUNTERS, ...BUCKET_COLUMNS])
const CALLS = counters('call_rollups', [...KEY, 'capability'], ['calls', 'failed', 'unknown', ...BUCKET_COLUMNS])
const USES = { of: 'deployments', columns: ['owner_id', 'runtime_id', 'version', 'last_used_at'] } as const

function counters(of: 'execution_rollups' | 'call_rollups', key: readonly string[], counted: readonly string[]) {
  const sums = counted.map((counter) => `${counter} = ${of}.${counter} + excluded.${counter}`)
  return { of, columns: [...key, ...counted], onConflict: `on conflict (${key}) do update set ${sums}` }
}

/** Adds usages to the counters, and to the stored bytes of their accounts. */
export async function addToCounters(tx: Tx, rollUp: RollUp): Promise<void> {
  await insertRecordset(tx, EXECUTIONS, rollUp.executions.map(toRow))
  await insertRecordset(tx, CALLS, rollUp.calls.map(toRow))
  // Accounts before deployments: a deployment locks them in this order.
  await addStoredBytes(tx, rollUp.storedBytes)
  if (rollUp.deploymentUses.length === 0) return
  await sql`update deployments set last_used_at = given.last_used_at from ${recordset(tx, USES, rollUp.deploymentUses)}
    where deployments.owner_id = given.owner_id and deployments.runtime_id = given.runtime_id
      and deployments.version = given.version and coalesce(deployments.last_used_at, 0) < given.last_used_at`.execute(
    tx,
  )
}

// Two spreads would take thirty times as long.
function toRow({ key, counts }: Rollup) {
  return Object.assign({}, key, counts)
}
