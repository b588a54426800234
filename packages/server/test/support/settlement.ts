import type { Kysely } from 'kysely'
import type { Schema } from '../../src/database/schema.ts'
import { createBatchStore } from '../../src/executions/batch-store.ts'
import { callsText } from '../../src/executions/call-rules.ts'
import { type Settlement, toEnded } from '../../src/executions/settlement-rules.ts'

const STARTED_AT = Date.parse('2026-03-01T12:00:00Z')

let number = 0

/** The settlement of an execution that runs under `node_1`, each of another one. */
export function settlement(changes: Partial<Settlement> = {}): Settlement {
  number += 1
  return {
    ownerId: 'owner_1',
    executionId: `exec_settled_${number}`,
    runtimeId: 'rt_1',
    projectId: 'proj_1',
    deploymentVersion: 1,
    kind: 'execute',
    status: 'completed',
    finishReason: 'stop',
    error: null,
    messageShape: '[]',
    metadata: null,
    steps: [],
    inputTokens: 7,
    outputTokens: 3,
    startedAt: STARTED_AT,
    completedAt: STARTED_AT + 250,
    calls: [],
    heardFrom: false,
    ...changes,
    callsText: callsText(changes.calls ?? []),
  }
}

/** Has `node_1` hold a lease for good, and settles for it. */
export async function settleBatch(db: Kysely<Schema>, settlements: readonly Settlement[]): Promise<boolean[]> {
  await holdLease(db)
  const batch = { admissions: [], calls: [], settlements: settlements.map(toEnded) }
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
