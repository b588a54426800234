import type { ExecutionStatus } from '@svc/contract'
import type { Db } from '../store/schema.ts'

export interface StoredRun {
  status: ExecutionStatus
  /** The node that ran it; null where that has no lease any more. */
  nodeId: string | null
  /** Where the node takes requests of other replicas; null where it takes none. */
  nodeUrl: string | null
}

export async function findStoredRun(
  db: Db,
  { ownerId, executionId }: { ownerId: string; executionId: string },
): Promise<StoredRun | undefined> {
  return db
    .selectFrom('executions')
    .leftJoin('nodes', 'nodes.node_id', 'executions.node_id')
    .select(['executions.status', 'nodes.node_id as nodeId', 'nodes.url as nodeUrl'])
    .where((eb) => eb.and({ 'executions.owner_id': ownerId, 'executions.execution_id': executionId }))
    .executeTakeFirst()
}
