import type { ExecutionKind, FinishReason } from '@svc/contract'
import type { Kysely } from 'kysely'
import {
  insertStatement,
  isPostgres,
  type RowStatement,
  rowStatement,
  runRows,
  updateAllRows,
  updateRows,
  updateStatement,
} from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { allOrNothing, commitAlong, inTransaction, type Tx } from '../database/transaction.ts'
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
  if (!isPostgres(db) && (await settleAtOnce(db, settlements, nodeId))) return settlements.map(() => true)
  return inTransaction(db, async (tx) => {
    const lost = new Set((await updateRows(tx, END_EXECUTIONS, toEndRows(settlements, nodeId))).map(idOf))
    const settled = settlements.filter(({ executionId }) => !lost.has(executionId))
    await Promise.all([endCalls(tx, settled), journalUsage(tx, settled.map(usageOf)), noteSignsOfLife(tx, settled)])
    // Not until those are written whose answer came.
    await failOpenCalls(tx, settled.filter(isFailed))
    return settlements.map(({ executionId }) => !lost.has(executionId))
  })
}

/** As a rule all of them are still to be ended, and SQLite is told all at once. False where one was not: nothing is done. */
function settleAtOnce(db: Kysely<Schema>, settlements: readonly Settlement[], nodeId: string): Promise<boolean> {
  return allOrNothing(db, (tx) =>
    Promise.all([
      updateAllRows(tx, END_EXECUTIONS, toEndRows(settlements, nodeId)),
      updateAllRows(tx, END_CALLS, toCallRows(settlements)),
      failOpenCalls(tx, settlements.filter(isFailed)),
      journalUsage(tx, settlements.map(usageOf)),
      noteSignsOfLife(tx, settlements),
      commitAlong(tx),
    ]),
  )
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

const ENDED = {
  status: 'text',
  finish_reason: 'text',
  error: 'text',
  message_shape: 'text',
  steps: 'bigint',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  total_tokens: 'bigint',
  duration_ms: 'bigint',
  call_count: 'bigint',
  completed_at: 'bigint',
} as const

// Only what still runs, and runs here. Said by its status, PostgreSQL would go through all that runs, by the index of it.
const END_EXECUTIONS = updateStatement('executions', 'execution_id', {
  set: ENDED,
  key: { owner_id: 'text', execution_id: 'text', node_id: 'text' },
  where: () => 'executions.completed_at is null',
})

function toEndRows(settlements: readonly Settlement[], nodeId: string) {
  return settlements.map((settlement) => ({
    owner_id: settlement.ownerId,
    execution_id: settlement.executionId,
    status: settlement.status,
    finish_reason: settlement.finishReason,
    error: settlement.error,
    message_shape: settlement.messageShape,
    steps: settlement.steps,
    input_tokens: settlement.inputTokens,
    output_tokens: settlement.outputTokens,
    total_tokens: settlement.inputTokens + settlement.outputTokens,
    duration_ms: settlement.completedAt - settlement.startedAt,
    call_count: settlement.calls.length,
    completed_at: settlement.completedAt,
    node_id: nodeId,
  }))
}

function idOf(row: { execution_id: string }): string {
  return row.execution_id
}

function isFailed({ status }: Settlement): boolean {
  return status === 'failed'
}

const OUTCOME = { status: 'text', output: 'text', error: 'text', duration_ms: 'bigint' } as const
const CALL = { owner_id: 'text', execution_id: 'text', call_id: 'text' } as const

const END_CALLS = updateStatement('capability_calls', 'call_id', { set: OUTCOME, key: CALL })

// What came to nothing before it was written down.
const INSERT_CALLS = insertStatement('capability_calls', {
  ...CALL,
  ...OUTCOME,
  ordinal: 'bigint',
  capability: 'text',
  step: 'bigint',
  input: 'text',
  started_at: 'bigint',
})

async function endCalls(tx: Tx, settled: readonly Settlement[]): Promise<void> {
  const unwritten = new Set((await updateRows(tx, END_CALLS, toCallRows(settled))).map(({ call_id }) => call_id))
  if (unwritten.size === 0) return
  const rows = settled.flatMap(({ ownerId, executionId, calls }) =>
    calls
      .filter(({ callId }) => unwritten.has(callId))
      .map((call) => ({
        ...toCallRow(ownerId, executionId, call),
        ordinal: call.ordinal,
        capability: call.capability,
        step: call.step,
        input: call.input,
        started_at: call.startedAt,
      })),
  )
  await runRows(tx, INSERT_CALLS, rows)
}

function toCallRows(settlements: readonly Settlement[]) {
  return settlements.flatMap(({ ownerId, executionId, calls }) =>
    calls.map((call) => toCallRow(ownerId, executionId, call)),
  )
}

function toCallRow(ownerId: string, executionId: string, call: SettledCall) {
  return {
    owner_id: ownerId,
    execution_id: executionId,
    call_id: call.callId,
    status: call.status,
    output: call.output,
    error: call.error,
    duration_ms: call.durationMs,
  }
}

const OUTCOME_UNKNOWN = 'The execution ended before the answer came: whether the call had an effect is unknown.'

const FAIL_OPEN_CALLS = failOpenStatement()

function failOpenStatement(): RowStatement<{ error: 'text'; owner_id: 'text'; execution_id: 'text' }> {
  const written = (given: (name: string) => string, from: string) =>
    `update capability_calls set status = 'failed', error = ${given('error')} ${from}
    where capability_calls.owner_id = ${given('owner_id')} and capability_calls.execution_id = ${given('execution_id')}
      and capability_calls.status = 'dispatched'
    returning capability_calls.execution_id, capability_calls.capability`
  const columns = { error: 'text', owner_id: 'text', execution_id: 'text' } as const
  const { postgres } = rowStatement(columns, ({ given }) => written((name) => `given.${name}`, `from ${given}`))
  return { columns, postgres, sqlite: written(() => '?', '') }
}

/** Fails what these executions sent and never heard of again, and returns what that was. */
export async function failOpenCalls(
  tx: Tx,
  executions: readonly { ownerId: string; executionId: string }[],
): Promise<OpenCall[]> {
  const rows = executions.map(({ ownerId, executionId }) => ({
    error: OUTCOME_UNKNOWN,
    owner_id: ownerId,
    execution_id: executionId,
  }))
  return runRows<OpenCall, typeof FAIL_OPEN_CALLS.columns>(tx, FAIL_OPEN_CALLS, rows)
}

interface OpenCall {
  execution_id: string
  capability: string
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

const NOTE_SIGN_OF_LIFE = updateStatement('runtimes', 'runtime_id', {
  set: { last_seen_at: 'bigint' },
  key: { owner_id: 'text', runtime_id: 'text' },
  bounds: { seen_at: 'bigint' },
  where: (given) => `coalesce(runtimes.last_seen_at, 0) < ${given('seen_at')}`,
})

async function noteSignsOfLife(tx: Tx, settled: readonly Settlement[]): Promise<void> {
  const heard = settled.filter(({ heardFrom }) => heardFrom)
  const latest = new Map(heard.map((settlement) => [settlement.runtimeId, settlement]))
  const inOrder = [...latest.values()].sort((a, b) => (a.runtimeId < b.runtimeId ? -1 : 1))
  const rows = inOrder.map(({ ownerId, runtimeId, completedAt }) => ({
    owner_id: ownerId,
    runtime_id: runtimeId,
    last_seen_at: completedAt,
    seen_at: completedAt,
  }))
  await updateRows(tx, NOTE_SIGN_OF_LIFE, rows)
}
