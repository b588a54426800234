import type { Insertable, Kysely } from 'kysely'
import { createBatchStore } from '../../src/executions/batch-store.ts'
import { type ExecutionEnd, type NewRow, type Settlement, settlementOf } from '../../src/executions/settlement-rules.ts'
import type { Schema } from '../../src/store/schema.ts'
import type { Usage } from '../../src/usage/rollup-rules.ts'

const STARTED_AT = Date.parse('2026-03-01T12:00:00Z')

let number = 0

/** The row of an execution that begins, by default a page’s, each of another one. */
export function newRow(changes: Partial<NewRow> = {}): NewRow {
  number += 1
  return {
    owner_id: 'owner_1',
    execution_id: `exec_settled_${number}`,
    runtime_id: 'rt_1',
    project_id: 'proj_1',
    deployment_version: 1,
    kind: 'execute',
    surface: null,
    message_shape: '[]',
    metadata: null,
    call_count: 0,
    calls: null,
    started_at: STARTED_AT,
    ...changes,
  }
}

/** The settlement of an execution that runs under `node_1`, each of another one. */
export function settlement(begun: Partial<NewRow> = {}, end: Partial<ExecutionEnd> = {}): Settlement {
  return settlementOf(newRow(begun), {
    status: 'completed',
    finishReason: 'stop',
    error: null,
    messageShape: '[]',
    steps: [],
    inputTokens: 7,
    outputTokens: 3,
    completedAt: STARTED_AT + 250,
    calls: [],
    ...end,
  })
}

/** Has `node_1` hold a lease for good, and settles for it. */
export async function settleBatch(db: Kysely<Schema>, settlements: readonly Settlement[]): Promise<boolean[]> {
  await holdLease(db)
  const batch = { admissions: [], calls: [], settlements }
  const at = { nodeId: 'node_1', now: STARTED_AT, isRepeat: false, beforeCommit: () => {} }
  return (await createBatchStore(db)(batch, at)).settlements
}

export async function holdLease(db: Kysely<Schema>): Promise<void> {
  await db
    .insertInto('nodes')
    .values({ node_id: 'node_1', lease_until: Number.MAX_SAFE_INTEGER, started_at: 0, steady_since: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** An entry in the journal of usage. */
export function journalEntry(usages: readonly Usage[]): Insertable<Schema['usage_journal']> {
  return { usages: JSON.stringify(usages) }
}
