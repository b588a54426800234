import type { ExecutionKind, FinishReason } from '@svc/contract'
import type { Kysely } from 'kysely'
import { isPostgres, updateAllRows, updateRows, updateStatement } from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { allOrNothing, commitAlong, inTransaction, type Tx } from '../database/transaction.ts'
import { journalUsage } from '../usage/journal-store.ts'
import type { Usage } from '../usage/rollup-rules.ts'
import { textBytes } from '../usage/stored-bytes-rules.ts'
import { endAllCalls, endCalls, failOpenCalls, type SettledCall } from './call-store.ts'

/** A turn of the model. */
export interface SettledStep {
  startedAt: number
  durationMs: number
  inputTokens: number
  outputTokens: number
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
  steps: readonly SettledStep[]
  inputTokens: number
  outputTokens: number
  startedAt: number
  completedAt: number
  calls: readonly SettledCall[]
  /** Payloads of calls that were under way when it ended. */
  openCallBytes: number
  /** Whether the endpoint gave a sign of life. */
  heardFrom: boolean
}

interface Settling {
  nodeId: string
  /** Called right before a commit is sent, on SQLite with the statements before it; prevents it by throwing. */
  commit(): void
  /** Called where one that was sent is known not to have taken place. */
  noCommit(): void
}

const nothing = () => {}

/**
 * Writes outcomes, calls and usage in one transaction. Only rows that are still `running` under this node are changed:
 * an execution that somebody else has ended meanwhile answers false, and nothing of it is counted.
 */
export async function settleBatch(
  db: Kysely<Schema>,
  settlements: readonly Settlement[],
  { nodeId, commit = nothing, noCommit = nothing }: Pick<Settling, 'nodeId'> & Partial<Settling>,
): Promise<boolean[]> {
  if (!isPostgres(db) && (await settleAtOnce(db, settlements, { nodeId, commit, noCommit }))) {
    return settlements.map(() => true)
  }
  return inTransaction(db, async (tx) => {
    const lost = new Set((await updateRows(tx, END_EXECUTIONS, toEndRows(settlements, nodeId))).map(idOf))
    const settled = settlements.filter(({ executionId }) => !lost.has(executionId))
    await Promise.all([endCalls(tx, settled), journalUsage(tx, settled.map(usageOf)), noteSignsOfLife(tx, settled)])
    // Not until those are written whose answer came.
    await failOpenCalls(tx, settled.filter(isFailed))
    commit()
    return settlements.map(({ executionId }) => !lost.has(executionId))
  })
}

/** As a rule all of them are still to be ended, and SQLite is told all at once. False where one was not: nothing is done. */
function settleAtOnce(
  db: Kysely<Schema>,
  settlements: readonly Settlement[],
  { nodeId, commit, noCommit }: Settling,
): Promise<boolean> {
  return allOrNothing(db, async (tx) => {
    commit()
    try {
      await Promise.all([
        updateAllRows(tx, END_EXECUTIONS, toEndRows(settlements, nodeId)),
        endAllCalls(tx, settlements),
        failOpenCalls(tx, settlements.filter(isFailed)),
        journalUsage(tx, settlements.map(usageOf)),
        noteSignsOfLife(tx, settlements),
        commitAlong(tx),
      ])
    } catch (error) {
      // Whichever of them failed, the thread did no commit. Where it has ended itself, the try ends with it.
      noCommit()
      throw error
    }
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

const ENDED = {
  status: 'text',
  finish_reason: 'text',
  error: 'text',
  message_shape: 'text',
  steps: 'bigint',
  model_steps: 'text',
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
    steps: settlement.steps.length,
    model_steps: settlement.steps.length === 0 ? null : JSON.stringify(settlement.steps),
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

function usageOf(settlement: Settlement): Usage {
  return {
    ownerId: settlement.ownerId,
    runtimeId: settlement.runtimeId,
    projectId: settlement.projectId,
    deploymentVersion: settlement.deploymentVersion,
    storedBytes: bytesOf(settlement),
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

/** What an outcome stores, with what was stored of the execution before; see `usage/stored-bytes-rules.ts`. */
export function bytesOf(settlement: Settlement): number {
  const { messageShape, metadata, steps, error, calls, openCallBytes } = settlement
  const modelSteps = steps.length === 0 ? null : JSON.stringify(steps)
  return (
    openCallBytes +
    textBytes([messageShape, metadata, modelSteps, error]) +
    textBytes(calls.flatMap((call) => [call.input, call.output, call.error]))
  )
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
