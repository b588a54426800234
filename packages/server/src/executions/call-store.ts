import type { Kysely } from 'kysely'
import {
  insertStatement,
  type RowStatement,
  rowStatement,
  runRows,
  updateAllRows,
  updateRows,
  updateStatement,
} from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { retryConflicts, type Tx } from '../database/transaction.ts'
import { SQL_BYTES, textBytes } from '../usage/stored-bytes-rules.ts'
import { CALL_COLUMNS, type NewCall, toDispatchedRow } from './admission-store.ts'

export interface DispatchedCall extends NewCall {
  ownerId: string
  executionId: string
}

export interface SettledCall extends NewCall {
  status: 'completed' | 'failed'
  /** JSON text; null for a failed call. */
  output: string | null
  error: string | null
  durationMs: number
}

/** An execution that has ended, and what it called. */
interface CallsOfExecution {
  ownerId: string
  executionId: string
  calls: readonly SettledCall[]
}

const COLUMNS = { ...CALL_COLUMNS, node_id: 'text' } as const

// The lock makes a take-over wait that would not see these calls, and this wait for one that is under way. Written twice,
// a call is the same call: the answer to the first time may have been lost.
const INSERT_CALLS = rowStatement(COLUMNS, ({ given, forShareOf }) => {
  const columns = 'owner_id, execution_id, call_id, ordinal, capability, step, status, input, started_at'
  const values = columns.replace(/\w+/g, 'given.$&')
  return `insert into capability_calls (${columns})
    select ${values} from ${given}
    join executions on executions.owner_id = given.owner_id and executions.execution_id = given.execution_id
    where executions.completed_at is null and executions.node_id = given.node_id
    order by given.owner_id, given.execution_id ${forShareOf('executions')}
    on conflict (owner_id, execution_id, call_id) do update set status = excluded.status
      where capability_calls.status = 'dispatched'
    returning call_id`
})

/**
 * Writes calls as `dispatched`, before they are, where their executions are still this node's to run. Tells for each call,
 * in their order, whether it was written: one that was not must not be sent.
 */
export async function recordCalls(
  db: Kysely<Schema>,
  calls: readonly DispatchedCall[],
  nodeId: string,
): Promise<boolean[]> {
  const rows = calls.map((call) => ({ ...toDispatchedRow(call), node_id: nodeId }))
  type Answer = { call_id: string }
  const answers = await retryConflicts(() => runRows<Answer, typeof COLUMNS>(db, INSERT_CALLS, rows))
  const written = new Set(answers.map((answer) => answer.call_id))
  return calls.map(({ callId }) => written.has(callId))
}

const OUTCOME = { status: 'text', output: 'text', error: 'text', duration_ms: 'bigint' } as const
const CALL = { owner_id: 'text', execution_id: 'text', call_id: 'text' } as const

const END_CALLS = updateStatement('capability_calls', 'call_id', { set: OUTCOME, key: CALL })

// What came to nothing before it was written down.
const INSERT_ENDED_CALLS = insertStatement('capability_calls', {
  ...CALL,
  ...OUTCOME,
  ordinal: 'bigint',
  capability: 'text',
  step: 'bigint',
  input: 'text',
  started_at: 'bigint',
})

/** Writes how the calls of executions that have ended did. One that was not written before it was sent is written now. */
export async function endCalls(tx: Tx, ended: readonly CallsOfExecution[]): Promise<void> {
  const unwritten = new Set((await updateRows(tx, END_CALLS, toCallRows(ended))).map(({ call_id }) => call_id))
  if (unwritten.size === 0) return
  const rows = ended.flatMap(({ ownerId, executionId, calls }) =>
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
  await runRows(tx, INSERT_ENDED_CALLS, rows)
}

/** The same in one statement, where each was written before. Fails, as `updateAllRows` does, where one was not. */
export async function endAllCalls(tx: Tx, ended: readonly CallsOfExecution[]): Promise<void> {
  await updateAllRows(tx, END_CALLS, toCallRows(ended))
}

function toCallRows(ended: readonly CallsOfExecution[]) {
  return ended.flatMap(({ ownerId, executionId, calls }) => calls.map((call) => toCallRow(ownerId, executionId, call)))
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

/** What is said of a call that was under way when its execution was interrupted. */
export const OUTCOME_UNKNOWN = 'The execution ended before the answer came: whether the call had an effect is unknown.'

/** What a call stores that was under way when its execution ended. */
export function openCallBytes(input: string): number {
  return textBytes([input, OUTCOME_UNKNOWN])
}

const FAIL_OPEN_CALLS = failOpenStatement()

function failOpenStatement(): RowStatement<{ error: 'text'; owner_id: 'text'; execution_id: 'text' }> {
  const written = (given: (name: string) => string, from: string) =>
    `update capability_calls set status = 'failed', error = ${given('error')} ${from}
    where capability_calls.owner_id = ${given('owner_id')} and capability_calls.execution_id = ${given('execution_id')}
      and capability_calls.status = 'dispatched'
    returning capability_calls.execution_id, capability_calls.capability,
      ${SQL_BYTES.capability_calls} as bytes`
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
  /** Of its payloads. */
  bytes: number
}
