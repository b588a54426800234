import type { ExecutionKind, FinishReason } from '@svc/contract'
import type { Insertable, Kysely } from 'kysely'
import type { CapabilityCallsTable, ExecutionsTable, Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import type { Usage } from '../usage/rollup-rules.ts'
import { addUsage } from '../usage/rollup-store.ts'
import type { NewCall } from './admission-store.ts'

export interface SettledCall extends NewCall {
  status: 'completed' | 'failed'
  /** JSON text; null for a failed call. */
  output: string | null
  error: string | null
  durationMs: number
}

/** The outcome of one execution. There is no place in it for message text. */
export interface Settlement {
  ownerId: string
  executionId: string
  runtimeId: string
  projectId: string
  deploymentVersion: number | null
  kind: ExecutionKind
  status: 'completed' | 'failed'
  finishReason: FinishReason
  error: string | null
  messageShape: string
  metadata: string | null
  steps: number
  inputTokens: number
  outputTokens: number
  startedAt: number
  completedAt: number
  calls: readonly SettledCall[]
  /** Whether the endpoint gave a sign of life. */
  heardFrom: boolean
}

// Twelve parameters a row, of the 32,766 that SQLite takes in one statement.
const ROWS_PER_STATEMENT = 1_000

/**
 * Writes outcomes, calls and usage in one transaction. Only rows that are still `running` under this node are changed:
 * an execution that somebody else has ended meanwhile answers false, and nothing of it is counted.
 */
export async function settleBatch(
  db: Kysely<Schema>,
  settlements: readonly Settlement[],
  nodeId: string,
): Promise<boolean[]> {
  return inTransaction(db, async (tx) => {
    const ended = await endExecutions(tx, settlements, nodeId)
    const settled = settlements.filter(({ executionId }) => ended.has(executionId))
    await endCalls(tx, settled)
    await failOpenCalls(
      tx,
      settled.filter(({ status }) => status === 'failed'),
    )
    await addUsage(tx, settled.map(usageOf))
    await noteSignsOfLife(tx, settled)
    return settlements.map(({ executionId }) => ended.has(executionId))
  })
}

/** True when this very outcome stands in the execution's row. */
export async function wasSettled(db: Kysely<Schema>, settlement: Settlement): Promise<boolean> {
  const row = await db
    .selectFrom('executions')
    .select(['status', 'completed_at'])
    .where('owner_id', '=', settlement.ownerId)
    .where('execution_id', '=', settlement.executionId)
    .executeTakeFirst()
  return row?.status === settlement.status && row.completed_at === settlement.completedAt
}

async function endExecutions(tx: Tx, settlements: readonly Settlement[], nodeId: string): Promise<Set<string>> {
  const rows: Insertable<ExecutionsTable>[] = settlements.map((settlement) => ({
    owner_id: settlement.ownerId,
    execution_id: settlement.executionId,
    runtime_id: settlement.runtimeId,
    project_id: settlement.projectId,
    deployment_version: settlement.deploymentVersion,
    kind: settlement.kind,
    status: settlement.status,
    finish_reason: settlement.finishReason,
    error: settlement.error,
    message_shape: settlement.messageShape,
    steps: settlement.steps,
    input_tokens: settlement.inputTokens,
    output_tokens: settlement.outputTokens,
    total_tokens: settlement.inputTokens + settlement.outputTokens,
    duration_ms: settlement.completedAt - settlement.startedAt,
    metadata: settlement.metadata,
    call_count: settlement.calls.length,
    started_at: settlement.startedAt,
    completed_at: settlement.completedAt,
    node_id: nodeId,
  }))
  // The rows exist since admission; an upsert changes many of them in one statement on both engines.
  const ended = await tx
    .insertInto('executions')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'execution_id'])
        .doUpdateSet((eb) => ({
          status: eb.ref('excluded.status'),
          finish_reason: eb.ref('excluded.finish_reason'),
          error: eb.ref('excluded.error'),
          message_shape: eb.ref('excluded.message_shape'),
          steps: eb.ref('excluded.steps'),
          input_tokens: eb.ref('excluded.input_tokens'),
          output_tokens: eb.ref('excluded.output_tokens'),
          total_tokens: eb.ref('excluded.total_tokens'),
          duration_ms: eb.ref('excluded.duration_ms'),
          call_count: eb.ref('excluded.call_count'),
          completed_at: eb.ref('excluded.completed_at'),
        }))
        .where('executions.status', '=', 'running')
        .where('executions.node_id', '=', nodeId),
    )
    .returning('execution_id')
    .execute()
  return new Set(ended.map((row) => row.execution_id))
}

async function endCalls(tx: Tx, settled: readonly Settlement[]): Promise<void> {
  const rows = settled.flatMap(({ ownerId, executionId, calls }) =>
    calls.map((call) => toCallRow(ownerId, executionId, call)),
  )
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    await endSomeCalls(tx, rows.slice(start, start + ROWS_PER_STATEMENT))
  }
}

async function endSomeCalls(tx: Tx, rows: readonly Insertable<CapabilityCallsTable>[]): Promise<void> {
  await tx
    .insertInto('capability_calls')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'execution_id', 'call_id']).doUpdateSet((eb) => ({
        status: eb.ref('excluded.status'),
        output: eb.ref('excluded.output'),
        error: eb.ref('excluded.error'),
        duration_ms: eb.ref('excluded.duration_ms'),
      })),
    )
    .execute()
}

function toCallRow(ownerId: string, executionId: string, call: SettledCall): Insertable<CapabilityCallsTable> {
  return {
    owner_id: ownerId,
    execution_id: executionId,
    call_id: call.callId,
    ordinal: call.ordinal,
    capability: call.capability,
    step: call.step,
    status: call.status,
    input: call.input,
    output: call.output,
    error: call.error,
    started_at: call.startedAt,
    duration_ms: call.durationMs,
  }
}

const OUTCOME_UNKNOWN = 'The execution ended before the answer came: whether the call had an effect is unknown.'

/** Fails what these executions sent and never heard of again, and returns what that was. */
export async function failOpenCalls(
  tx: Tx,
  executions: readonly { ownerId: string; executionId: string }[],
): Promise<{ execution_id: string; capability: string }[]> {
  if (executions.length === 0) return []
  return tx
    .updateTable('capability_calls')
    .set({ status: 'failed', error: OUTCOME_UNKNOWN })
    .where('owner_id', 'in', [...new Set(executions.map(({ ownerId }) => ownerId))])
    .where(
      'execution_id',
      'in',
      executions.map(({ executionId }) => executionId),
    )
    .where('status', '=', 'dispatched')
    .returning(['execution_id', 'capability'])
    .execute()
}

function usageOf(settlement: Settlement): Usage {
  return {
    ownerId: settlement.ownerId,
    runtimeId: settlement.runtimeId,
    projectId: settlement.projectId,
    startedAt: settlement.startedAt,
    isCompleted: settlement.status === 'completed',
    isAnonymous: settlement.kind === 'broker',
    inputTokens: settlement.inputTokens,
    outputTokens: settlement.outputTokens,
    durationMs: settlement.completedAt - settlement.startedAt,
    calls: settlement.calls.map(({ capability, status, durationMs }) => ({
      capability,
      isCompleted: status === 'completed',
      durationMs,
    })),
  }
}

async function noteSignsOfLife(tx: Tx, settled: readonly Settlement[]): Promise<void> {
  const heard = settled.filter(({ heardFrom }) => heardFrom)
  const latest = new Map(heard.map((settlement) => [settlement.runtimeId, settlement]))
  const inOrder = [...latest.values()].sort((a, b) => (a.runtimeId < b.runtimeId ? -1 : 1))
  for (const { ownerId, runtimeId, completedAt } of inOrder) {
    await tx
      .updateTable('runtimes')
      .set({ last_seen_at: completedAt })
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', runtimeId)
      .where((eb) => eb.or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<', completedAt)]))
      .execute()
  }
}
