import type { ExecutionKind, FinishReason } from '@svc/contract'
import type { Kysely } from 'kysely'
import { insertStatement, runRows } from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { journalUsage } from '../usage/journal-store.ts'
import type { Usage } from '../usage/rollup-rules.ts'
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
    await Promise.all([endCalls(tx, settled), journalUsage(tx, settled.map(usageOf)), noteSignsOfLife(tx, settled)])
    // Not until those are written whose answer came.
    await failOpenCalls(
      tx,
      settled.filter(({ status }) => status === 'failed'),
    )
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

// The rows exist since admission; an upsert finds each of them by its key, whatever the planner knows of the table.
const END_EXECUTIONS = insertStatement(
  'executions',
  {
    owner_id: 'text',
    execution_id: 'text',
    runtime_id: 'text',
    project_id: 'text',
    deployment_version: 'bigint',
    kind: 'text',
    status: 'text',
    finish_reason: 'text',
    error: 'text',
    message_shape: 'text',
    steps: 'bigint',
    input_tokens: 'bigint',
    output_tokens: 'bigint',
    total_tokens: 'bigint',
    duration_ms: 'bigint',
    metadata: 'text',
    call_count: 'bigint',
    started_at: 'bigint',
    completed_at: 'bigint',
    node_id: 'text',
  },
  `on conflict (owner_id, execution_id) do update set
    status = excluded.status, finish_reason = excluded.finish_reason, error = excluded.error,
    message_shape = excluded.message_shape, steps = excluded.steps, input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens, total_tokens = excluded.total_tokens,
    duration_ms = excluded.duration_ms, call_count = excluded.call_count, completed_at = excluded.completed_at
  where executions.status = 'running' and executions.node_id = excluded.node_id
  returning execution_id`,
)

async function endExecutions(tx: Tx, settlements: readonly Settlement[], nodeId: string): Promise<Set<string>> {
  const rows = settlements.map((settlement) => ({
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
  type Answer = { execution_id: string }
  const ended = await runRows<Answer, typeof END_EXECUTIONS.columns>(tx, END_EXECUTIONS, rows)
  return new Set(ended.map((row) => row.execution_id))
}

const END_CALLS = insertStatement(
  'capability_calls',
  {
    owner_id: 'text',
    execution_id: 'text',
    call_id: 'text',
    ordinal: 'bigint',
    capability: 'text',
    step: 'bigint',
    status: 'text',
    input: 'text',
    output: 'text',
    error: 'text',
    started_at: 'bigint',
    duration_ms: 'bigint',
  },
  `on conflict (owner_id, execution_id, call_id) do update set
    status = excluded.status, output = excluded.output, error = excluded.error, duration_ms = excluded.duration_ms`,
)

async function endCalls(tx: Tx, settled: readonly Settlement[]): Promise<void> {
  const rows = settled.flatMap(({ ownerId, executionId, calls }) =>
    calls.map((call) => toCallRow(ownerId, executionId, call)),
  )
  await runRows(tx, END_CALLS, rows)
}

function toCallRow(ownerId: string, executionId: string, call: SettledCall) {
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
