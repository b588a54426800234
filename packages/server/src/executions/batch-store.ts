import type { Tier } from '@svc/contract'
import { CompiledQuery, type Kysely } from 'kysely'
import { BatchText } from '../database/batch-text.ts'
import { isPostgres } from '../database/given-rows.ts'
import type { Schema } from '../database/schema.ts'
import { repeated } from '../database/transaction.ts'
import { PLANS, type Plan } from '../usage/rules.ts'
import type { Batch, BatchAt, Outcomes } from './batch-rules.ts'
import { writePostgresBatch } from './postgres-batch-store.ts'

/** A batch as the thread of SQLite is given it. */
export interface SqliteRequest extends Batch, Pick<BatchAt, 'nodeId' | 'now' | 'isTakeOver'> {
  plans: Readonly<Record<Tier, Plan>>
}

/**
 * Writes a batch of executions in one transaction: lets in whom their quota has room for, adds calls about to be sent to
 * what still runs, and ends what has come to an end. Nothing is written unless the node holds its lease, and what
 * another node has ended is left as it is.
 */
export type WriteBatch = (batch: Batch, at: BatchAt) => Promise<Outcomes>

export function createBatchStore(db: Kysely<Schema>): WriteBatch {
  if (isPostgres(db)) return (batch, at) => writePostgresBatch(db, batch, at)
  return async (batch, { beforeCommit, nodeId, now, isTakeOver }) => {
    const request: SqliteRequest = { ...batch, nodeId, now, isTakeOver, plans: PLANS }
    const query = CompiledQuery.raw('batch', [new BatchText(JSON.stringify(request), beforeCommit)])
    const { rows } = await repeated(() => db.executeQuery<string>(query))
    return JSON.parse(rows[0] ?? '')
  }
}
