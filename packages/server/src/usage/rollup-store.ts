import { insertStatement, runRows, updateStatement } from '../database/row-statement.ts'
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

const COUNTERS = {
  executions: 'bigint',
  completed: 'bigint',
  failed: 'bigint',
  anonymous: 'bigint',
  capability_calls: 'bigint',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  duration_ms: 'bigint',
} as const satisfies Record<(typeof EXECUTION_COUNTERS)[number], 'bigint'>

const BUCKETS = {
  b0: 'bigint',
  b1: 'bigint',
  b2: 'bigint',
  b3: 'bigint',
  b4: 'bigint',
  b5: 'bigint',
  b6: 'bigint',
  b7: 'bigint',
  b8: 'bigint',
  b9: 'bigint',
  b10: 'bigint',
  b11: 'bigint',
  b12: 'bigint',
  b13: 'bigint',
  b14: 'bigint',
  b15: 'bigint',
} as const satisfies Record<(typeof BUCKET_COLUMNS)[number], 'bigint'>

const ADD_TO_EXECUTIONS = insertStatement(
  'execution_rollups',
  { ...PLACE, ...COUNTERS, ...BUCKETS },
  `on conflict (owner_id, grain, at, span, runtime_id, project_id)
    do update set ${sumsOf('execution_rollups', [...EXECUTION_COUNTERS, ...BUCKET_COLUMNS])}`,
)

const ADD_TO_CALLS = insertStatement(
  'call_rollups',
  { ...PLACE, capability: 'text', calls: 'bigint', failed: 'bigint', ...BUCKETS },
  `on conflict (owner_id, grain, at, capability, span, runtime_id, project_id)
    do update set ${sumsOf('call_rollups', ['calls', 'failed', ...BUCKET_COLUMNS])}`,
)

const NOTE_DEPLOYMENTS = updateStatement('deployments', 'version', {
  set: { last_used_at: 'bigint' },
  key: { owner_id: 'text', runtime_id: 'text', version: 'bigint' },
  bounds: { used_at: 'bigint' },
  where: (given) => `coalesce(deployments.last_used_at, 0) < ${given('used_at')}`,
})

/**
 * Adds ended executions and their calls to the counters of the hour and of the day in which each execution started, and
 * their payloads to what their accounts have stored.
 */
export async function addToCounters(tx: Tx, rollUp: RollUp): Promise<void> {
  await Promise.all([
    runRows(tx, ADD_TO_EXECUTIONS, rollUp.executions.map(toExecutionRow)),
    runRows(tx, ADD_TO_CALLS, rollUp.calls.map(toCallRow)),
    // Accounts before deployments: whoever deploys locks them in this order.
    addStoredBytes(tx, rollUp.storedBytes),
    runRows(tx, NOTE_DEPLOYMENTS, rollUp.deploymentUses.map(toUseRow)),
  ])
}

function toUseRow({ ownerId, runtimeId, version, lastUsedAt }: DeploymentUse) {
  return { owner_id: ownerId, runtime_id: runtimeId, version, last_used_at: lastUsedAt, used_at: lastUsedAt }
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

function bucketColumns(buckets: readonly number[]): Record<(typeof BUCKET_COLUMNS)[number], number> {
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0] = buckets
  const [b8 = 0, b9 = 0, b10 = 0, b11 = 0, b12 = 0, b13 = 0, b14 = 0, b15 = 0] = buckets.slice(8)
  return { b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15 }
}
