import type { Tier } from '@svc/contract'
import { CompiledQuery, type Kysely } from 'kysely'
import { BatchText } from '../store/batch-text.ts'
import { isPostgres } from '../store/given-rows.ts'
import type { Schema } from '../store/schema.ts'
import { repeated } from '../store/transaction.ts'
import { PLANS, type Plan } from '../usage/rules.ts'
import type { Batch, BatchContext, Outcomes } from './batch-rules.ts'
import { writePostgresBatch } from './postgres-batch-store.ts'

export interface SqliteRequest extends Batch, Pick<BatchContext, 'nodeId' | 'now' | 'isTakeOver'> {
  plans: Readonly<Record<Tier, Plan>>
}

/** Writes a batch in one transaction. Nothing is written unless the node holds its lease. */
export type WriteBatch = (batch: Batch, context: BatchContext) => Promise<Outcomes>

export function createBatchStore(db: Kysely<Schema>): WriteBatch {
  if (isPostgres(db)) return (batch, context) => writePostgresBatch(db, batch, context)
  return async (batch, { beforeCommit, nodeId, now, isTakeOver }) => {
    const request: SqliteRequest = { nodeId, now, isTakeOver, plans: PLANS, ...batch }
    const query = CompiledQuery.raw('batch', [new BatchText(JSON.stringify(request), beforeCommit)])
    const { rows } = await repeated(() => db.executeQuery<string>(query))
    return JSON.parse(rows[0] ?? '')
  }
}
