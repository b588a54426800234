import type { Kysely } from 'kysely'
import { rowStatement, runRows } from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { retryConflicts } from '../database/transaction.ts'
import { type NewCall, toDispatchedRow } from './admission-store.ts'

export interface DispatchedCall extends NewCall {
  ownerId: string
  executionId: string
}

const COLUMNS = {
  owner_id: 'text',
  execution_id: 'text',
  call_id: 'text',
  ordinal: 'bigint',
  capability: 'text',
  step: 'bigint',
  status: 'text',
  input: 'text',
  started_at: 'bigint',
  node_id: 'text',
} as const

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
