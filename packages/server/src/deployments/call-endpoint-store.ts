import type { Db } from '../store/schema.ts'
import { readStoredManifestPart } from './stored-manifest-rules.ts'

/** The endpoint that the capabilities of a deployment are called at. */
export interface CallEndpoint {
  /** Null: the endpoint of its runtime. */
  endpoint: string | null
  /** Whether the endpoint tells what became of a call. */
  reconcile: boolean
  /** False where an earlier release stored the deployment, and it has not been promoted since. */
  isRecorded: boolean
}

/** The endpoint that a deployment is called at, or was last; null where there is no such deployment. */
export async function findCallEndpoint(
  db: Db,
  { ownerId, runtimeId, version }: { ownerId: string; runtimeId: string; version: number },
): Promise<CallEndpoint | null> {
  const row = await db
    .selectFrom('deployments')
    .select(['manifest', 'endpoint'])
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId, version }))
    .executeTakeFirst()
  if (!row) return null
  const { endpoint = null, reconcile = false } = readStoredManifestPart(row.manifest)
  return { endpoint: row.endpoint ?? endpoint, reconcile, isRecorded: row.endpoint !== null }
}

/** Records the endpoint that a deployment is called at. */
export async function recordCallEndpoint(
  db: Db,
  { ownerId, runtimeId, version }: { ownerId: string; runtimeId: string; version: number },
  endpoint: string | null,
): Promise<void> {
  await db
    .updateTable('deployments')
    .set({ endpoint })
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId, version }))
    .execute()
}
