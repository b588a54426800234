import type { ExecutionStatus } from '@svc/contract'
import type { Database } from '../../packages/server/src/store/database.ts'
import { inTransaction } from '../../packages/server/src/store/transaction.ts'

/** One owner's history of so many executions, spread evenly over so many days up to now. */
export interface History {
  ownerId: string
  size: number
  now: number
  /** In use to this day, each in both projects. */
  runtimeIds: readonly string[]
  projectIds: readonly [string, string]
  /** Last ran when the history began, and in the first project at that. */
  idleRuntimeId: string
  /** Began in the first project and has been in the second one ever since. */
  movedRuntimeId: string
}

export const SPAN_MS = 300 * 86_400_000
/** How many executions the idle runtime had, and the moved one before it moved: as many in a long history as in a short one. */
const FEW = 120
/** How many are under way: the newest ones. */
export const RUNNING = 100
const ROWS_PER_STATEMENT = 1_000

/** Inserts the history, oldest first, as it would have come about. */
export async function fillHistory({ db }: Database, history: History): Promise<void> {
  for (let start = 0; start < history.size; start += 10 * ROWS_PER_STATEMENT) {
    await inTransaction(db, async (tx) => {
      const end = Math.min(start + 10 * ROWS_PER_STATEMENT, history.size)
      for (let from = start; from < end; from += ROWS_PER_STATEMENT) {
        const count = Math.min(ROWS_PER_STATEMENT, end - from)
        const rows = Array.from({ length: count }, (_, index) => toRow(history, from + index))
        await tx.insertInto('executions').values(rows).execute()
      }
    })
  }
}

function toRow(history: History, index: number) {
  const startedAt = history.now - SPAN_MS + Math.floor((SPAN_MS * index) / history.size)
  const status = statusOf(history, index)
  const isOver = status !== 'running'
  return {
    owner_id: history.ownerId,
    // As wide as a minted one, in the order of the starts.
    execution_id: `exec_${startedAt.toString(36).padStart(12, '0')}${index.toString(36).padStart(14, '0')}`,
    ...placeOf(history, index),
    deployment_version: 1,
    kind: 'execute',
    status,
    finish_reason: isOver ? (status === 'completed' ? 'stop' : 'error') : null,
    error: status === 'failed' ? 'The model could not be reached.' : null,
    message_shape: SHAPE,
    metadata: '{"page":"/shoes","locale":"en"}',
    steps: 2,
    input_tokens: 900,
    output_tokens: 100,
    total_tokens: 1_000,
    duration_ms: isOver ? 1_500 : null,
    call_count: index % 4,
    started_at: startedAt,
    completed_at: isOver ? startedAt + 1_500 : null,
    node_id: 'node',
  } as const
}

const SHAPE = JSON.stringify([
  { role: 'user', parts: [{ type: 'text' }] },
  { role: 'assistant', parts: [{ type: 'tool_call' }] },
  { role: 'tool', parts: [{ type: 'tool_result' }] },
  { role: 'assistant', parts: [{ type: 'text' }] },
])

// One in five failed.
function statusOf({ size }: History, index: number): ExecutionStatus {
  if (index >= size - RUNNING) return 'running'
  return index % 5 === 0 ? 'failed' : 'completed'
}

function placeOf(history: History, index: number): { runtime_id: string; project_id: string } {
  const { runtimeIds, projectIds, idleRuntimeId, movedRuntimeId } = history
  const [first, second] = projectIds
  if (index < FEW) return { runtime_id: idleRuntimeId, project_id: first }
  if (index < 2 * FEW) return { runtime_id: movedRuntimeId, project_id: first }
  // By its place from the newest, so that histories of every size look alike where they are new.
  const chance = scatter(history.size - index)
  const runtimeId = runtimeIds[chance % (runtimeIds.length + 1)]
  if (runtimeId === undefined) return { runtime_id: movedRuntimeId, project_id: second }
  return { runtime_id: runtimeId, project_id: (chance >>> 8) % 2 === 0 ? first : second }
}

/** The same “random” number for the same index in every run. */
function scatter(index: number): number {
  const mixed = Math.imul(index ^ (index >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 15)) >>> 1
}
