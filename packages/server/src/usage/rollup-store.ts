import type { Insertable } from 'kysely'
import {
  BUCKET_COLUMNS,
  type CallRollupsTable,
  EXECUTION_COUNTERS,
  type ExecutionRollupsTable,
} from '../database/schema.ts'
import type { Tx } from '../database/transaction.ts'
import { type CallRollup, type ExecutionRollup, rollUpCalls, rollUpExecutions, type Usage } from './rollup-rules.ts'

// Thirty parameters a row, of the 32,766 that SQLite takes in one statement.
const ROWS_PER_STATEMENT = 1_000

/** Adds ended executions and their calls to the counters of the hour and of the day in which each execution started. */
export async function addUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  const executions = rollUpExecutions(usages).map(toExecutionRow)
  for (const rows of chunks(executions)) await addToExecutions(tx, rows)
  const calls = rollUpCalls(usages).map(toCallRow)
  for (const rows of chunks(calls)) await addToCalls(tx, rows)
}

async function addToExecutions(tx: Tx, rows: Insertable<ExecutionRollupsTable>[]): Promise<void> {
  const counters = [...EXECUTION_COUNTERS, ...BUCKET_COLUMNS]
  await tx
    .insertInto('execution_rollups')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'grain', 'at', 'span', 'runtime_id', 'project_id'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            counters.map((counter) => [
              counter,
              eb(`execution_rollups.${counter}`, '+', eb.ref(`excluded.${counter}`)),
            ]),
          ),
        ),
    )
    .execute()
}

async function addToCalls(tx: Tx, rows: Insertable<CallRollupsTable>[]): Promise<void> {
  const counters = ['calls', 'failed', ...BUCKET_COLUMNS] as const
  await tx
    .insertInto('call_rollups')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'grain', 'at', 'capability', 'span', 'runtime_id', 'project_id'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            counters.map((counter) => [counter, eb(`call_rollups.${counter}`, '+', eb.ref(`excluded.${counter}`))]),
          ),
        ),
    )
    .execute()
}

function toExecutionRow(rollup: ExecutionRollup): Insertable<ExecutionRollupsTable> {
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

function toCallRow(rollup: CallRollup): Insertable<CallRollupsTable> {
  const { capability, calls, failed, buckets } = rollup
  return { ...placeColumns(rollup), capability, calls, failed, ...bucketColumns(buckets) }
}

function placeColumns({ ownerId, grain, at, runtimeId, projectId, span }: ExecutionRollup | CallRollup) {
  return { owner_id: ownerId, grain, at, runtime_id: runtimeId, project_id: projectId, span }
}

function bucketColumns(buckets: readonly number[]): Record<string, number> {
  return Object.fromEntries(BUCKET_COLUMNS.map((column, index) => [column, buckets[index] ?? 0]))
}

function chunks<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT)
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT),
  )
}
