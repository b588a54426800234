import type { ExecutionKind, FinishReason } from '@svc/contract'
import type { Insertable, Kysely } from 'kysely'
import type { CapabilityCallsTable, ExecutionsTable, Schema, UsageHoursTable } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
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

const HOUR_MS = 3_600_000
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

/** Fails what these executions sent and never heard of again. */
export async function failOpenCalls(
  tx: Tx,
  executions: readonly { ownerId: string; executionId: string }[],
): Promise<void> {
  if (executions.length === 0) return
  await tx
    .updateTable('capability_calls')
    .set({ status: 'failed', error: OUTCOME_UNKNOWN })
    .where('owner_id', 'in', [...new Set(executions.map(({ ownerId }) => ownerId))])
    .where(
      'execution_id',
      'in',
      executions.map(({ executionId }) => executionId),
    )
    .where('status', '=', 'dispatched')
    .execute()
}

export interface Usage {
  ownerId: string
  runtimeId: string
  projectId: string
  startedAt: number
  isCompleted: boolean
  isAnonymous: boolean
  calls: number
  inputTokens: number
  outputTokens: number
  durationMs: number
}

function usageOf(settlement: Settlement): Usage {
  return {
    ...settlement,
    isCompleted: settlement.status === 'completed',
    isAnonymous: settlement.kind === 'broker',
    calls: settlement.calls.length,
    durationMs: settlement.completedAt - settlement.startedAt,
  }
}

/** Adds to the hourly counters of each owner and runtime, by the hour in which an execution started. */
export async function addUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  if (usages.length === 0) return
  await tx
    .insertInto('usage_hours')
    .values(sumByHour(usages))
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'hour', 'runtime_id']).doUpdateSet((eb) => ({
        executions: eb('usage_hours.executions', '+', eb.ref('excluded.executions')),
        completed: eb('usage_hours.completed', '+', eb.ref('excluded.completed')),
        failed: eb('usage_hours.failed', '+', eb.ref('excluded.failed')),
        anonymous: eb('usage_hours.anonymous', '+', eb.ref('excluded.anonymous')),
        capability_calls: eb('usage_hours.capability_calls', '+', eb.ref('excluded.capability_calls')),
        input_tokens: eb('usage_hours.input_tokens', '+', eb.ref('excluded.input_tokens')),
        output_tokens: eb('usage_hours.output_tokens', '+', eb.ref('excluded.output_tokens')),
        duration_ms: eb('usage_hours.duration_ms', '+', eb.ref('excluded.duration_ms')),
      })),
    )
    .execute()
}

type UsageRow = { [Column in keyof Insertable<UsageHoursTable>]-?: NonNullable<Insertable<UsageHoursTable>[Column]> }

// Sorted, so that replicas which settle for the same owners at once lock the counters in one order.
function sumByHour(usages: readonly Usage[]): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const usage of usages) {
    const hour = usage.startedAt - (usage.startedAt % HOUR_MS)
    const name = `${usage.ownerId} ${hour} ${usage.runtimeId}`
    const row = rows.get(name) ?? emptyHour(usage, hour)
    rows.set(name, row)
    row.executions += 1
    row.completed += usage.isCompleted ? 1 : 0
    row.failed += usage.isCompleted ? 0 : 1
    row.anonymous += usage.isAnonymous ? 1 : 0
    row.capability_calls += usage.calls
    row.input_tokens += usage.inputTokens
    row.output_tokens += usage.outputTokens
    row.duration_ms += usage.durationMs
  }
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function emptyHour(usage: Usage, hour: number): UsageRow {
  return {
    owner_id: usage.ownerId,
    hour,
    runtime_id: usage.runtimeId,
    project_id: usage.projectId,
    executions: 0,
    completed: 0,
    failed: 0,
    anonymous: 0,
    capability_calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    duration_ms: 0,
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
