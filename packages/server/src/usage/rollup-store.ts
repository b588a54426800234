import { sql } from 'kysely'
import { type Columns, givenRows, insertGiven } from '../database/given-rows.ts'
import { BUCKET_COLUMNS, EXECUTION_COUNTERS } from '../database/schema.ts'
import type { Tx } from '../database/transaction.ts'
import type { CallRollup, DeploymentUse, ExecutionRollup, RollUp } from './rollup-rules.ts'
import { addStoredBytes } from './stored-bytes-store.ts'

const PLACE = {
  owner_id: 'text',
  grain: 'text',
  at: 'bigint',
  span: 'bigint',
  runtime_id: 'text',
  project_id: 'text',
} as const

const COUNTERS = numbers(EXECUTION_COUNTERS)
const BUCKETS = numbers(BUCKET_COLUMNS)

function numbers(names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, 'bigint']))
}

const ADD_TO_EXECUTIONS = {
  into: 'execution_rollups',
  columns: { ...PLACE, ...COUNTERS, ...BUCKETS },
  onConflict: `on conflict (owner_id, grain, at, span, runtime_id, project_id)
    do update set ${sumsOf('execution_rollups', [...EXECUTION_COUNTERS, ...BUCKET_COLUMNS])}`,
} as const

const ADD_TO_CALLS = {
  into: 'call_rollups',
  columns: { ...PLACE, capability: 'text', calls: 'bigint', failed: 'bigint', ...BUCKETS },
  onConflict: `on conflict (owner_id, grain, at, capability, span, runtime_id, project_id)
    do update set ${sumsOf('call_rollups', ['calls', 'failed', ...BUCKET_COLUMNS])}`,
} as const

const USES = { owner_id: 'text', runtime_id: 'text', version: 'bigint', used_at: 'bigint' } as const

/**
 * Adds ended executions and their calls to the counters of the hour and of the day in which each execution started, and
 * their payloads to what their accounts have stored.
 */
export async function addToCounters(tx: Tx, rollUp: RollUp): Promise<void> {
  await insertGiven(tx, ADD_TO_EXECUTIONS, rollUp.executions.map(toExecutionRow))
  await insertGiven(tx, ADD_TO_CALLS, rollUp.calls.map(toCallRow))
  // Accounts before deployments: whoever deploys locks them in this order.
  await addStoredBytes(tx, rollUp.storedBytes)
  await noteUses(tx, rollUp.deploymentUses)
}

async function noteUses(tx: Tx, uses: readonly DeploymentUse[]): Promise<void> {
  if (uses.length === 0) return
  const rows = uses.map(({ ownerId, runtimeId, version, lastUsedAt }) => {
    return { owner_id: ownerId, runtime_id: runtimeId, version, used_at: lastUsedAt }
  })
  await sql`update deployments set last_used_at = given.used_at from ${givenRows(tx, USES, rows)}
    where deployments.owner_id = given.owner_id and deployments.runtime_id = given.runtime_id
      and deployments.version = given.version and coalesce(deployments.last_used_at, 0) < given.used_at`.execute(tx)
}

function sumsOf(table: string, counters: readonly string[]): string {
  return counters.map((counter) => `${counter} = ${table}.${counter} + excluded.${counter}`).join(', ')
}

function toExecutionRow(rollup: ExecutionRollup) {
  return {
    ...placeColumns(rollup),
    executions: rollup.executions,
    completed: rollup.completed,
    failed: rollup.failed,
    anonymous: rollup.anonymous,
    capability_calls: rollup.capabilityCalls,
    input_tokens: rollup.inputTokens,
    output_tokens: rollup.outputTokens,
    duration_ms: rollup.durationMs,
    ...bucketColumns(rollup.buckets),
  }
}

function toCallRow(rollup: CallRollup) {
  const { capability, calls, failed, buckets } = rollup
  return { ...placeColumns(rollup), capability, calls, failed, ...bucketColumns(buckets) }
}

function placeColumns({ ownerId, grain, at, runtimeId, projectId, span }: ExecutionRollup | CallRollup) {
  return { owner_id: ownerId, grain, at, runtime_id: runtimeId, project_id: projectId, span }
}

function bucketColumns(buckets: readonly number[]): Record<string, number> {
  return Object.fromEntries(BUCKET_COLUMNS.map((name, index) => [name, buckets[index] ?? 0]))
}
