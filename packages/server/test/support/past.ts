import type { ExecutionStatus } from '@svc/contract'
import type { Insertable } from 'kysely'
import { callsText } from '../../src/executions/call-rules.ts'
import type { Database } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'

export const DAY_MS = 86_400_000

export interface PastExecution {
  ownerId: string
  executionId: string
  runtimeId: string
  projectId: string
  status: ExecutionStatus
  startedAt: number
  /** How many capability calls it made; none where it is left out. */
  calls?: number
}

const CALL = {
  capability: 'echo',
  step: 1,
  status: 'completed',
  input: '{}',
  output: '{}',
  error: null,
  durationMs: 1,
} as const

/** Writes executions straight into the store, as they would stand there had they been run. */
export async function insertPast({ db }: Database, past: readonly PastExecution[]): Promise<void> {
  const rows = past.map(toRow)
  for (let start = 0; start < rows.length; start += 1_000) {
    await db
      .insertInto('executions')
      .values(rows.slice(start, start + 1_000))
      .execute()
  }
}

function toRow({ ownerId, executionId, runtimeId, projectId, status, startedAt, calls = 0 }: PastExecution) {
  const isOver = status !== 'running'
  return {
    owner_id: ownerId,
    execution_id: executionId,
    runtime_id: runtimeId,
    project_id: projectId,
    kind: 'execute',
    status,
    finish_reason: isOver ? (status === 'completed' ? 'stop' : 'error') : null,
    message_shape: '[]',
    call_count: calls,
    calls: callsText(
      Array.from({ length: calls }, (_, ordinal) => ({ ...CALL, callId: `call_${ordinal}`, ordinal, startedAt })),
    ),
    started_at: startedAt,
    completed_at: isOver ? startedAt : null,
    duration_ms: isOver ? 0 : null,
    node_id: 'node_of_the_past',
  } satisfies Insertable<Schema['executions']>
}
