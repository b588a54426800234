import type { Tier } from '@svc/contract'
import type { Db } from '../store/schema.ts'
import { ThreadedSqliteAdapter } from '../store/sqlite/driver.ts'
import { retryTransaction } from '../store/transaction.ts'
import { type PlanQuota, QUOTAS } from '../usage/quota-rules.ts'
import type { Batch, BatchContext, BatchOutcomes } from './batch-rules.ts'
import { SETTLEMENT_COLUMNS } from './column-rules.js'
import { writePostgresBatch } from './postgres-batch-store.ts'
import type { Settlement } from './settlement-rules.ts'

export interface SqliteRequest
  extends Pick<Batch, 'admissions' | 'calls'>,
    Pick<BatchContext, 'nodeId' | 'now' | 'isTakeOver'> {
  plans: Readonly<Record<Tier, PlanQuota>>
  settlements: readonly SqliteSettlement[]
}

/** Arrays and texts: they are copied to the thread and bound faster than objects. */
export type SqliteSettlement = ReturnType<typeof toSqlite>

function toSqlite({ row, usage, endpointAnswered }: Settlement) {
  const { reconcile_at: reconcileAt, execution_id: executionId, owner_id: ownerId, completed_at: completedAt } = row
  const ended = SETTLEMENT_COLUMNS.map((column) => row[column])
  return {
    values: [...ended, reconcileAt, reconcileAt, executionId, ownerId],
    usage: JSON.stringify(usage),
    runtimeId: usage.runtimeId,
    seenAt: endpointAnswered ? completedAt : null,
  }
}

/** Writes a batch in one transaction. A batch without a lease writes nothing, a take-over excepted. */
export type WriteBatch = (batch: Batch, context: BatchContext) => Promise<BatchOutcomes>

export function createBatchStore(db: Db): WriteBatch {
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof ThreadedSqliteAdapter)) return (batch, context) => writePostgresBatch(db, batch, context)
  return async ({ admissions, calls, settlements }, { beforeCommit, nodeId, now, isTakeOver }) => {
    const ended = settlements.map(toSqlite)
    const request: SqliteRequest = { nodeId, now, isTakeOver, plans: QUOTAS, admissions, calls, settlements: ended }
    const outcomes = await retryTransaction(() => adapter.driver.sendBatch<BatchOutcomes>(request, beforeCommit))
    if (outcomes === undefined) throw new Error('a batch has outcomes')
    return outcomes
  }
}
