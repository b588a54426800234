import type { Db } from '../store/schema.ts'
import { readStoredManifestPart } from './stored-manifest-rules.ts'

/** Where a deployment is called. */
export interface Called {
  /** Null where the runtime is called. */
  endpoint: string | null
  /** Whether it tells what became of a call. */
  reconcile: boolean
  /** False of a deployment of an earlier release, which has not served since. */
  isRecorded: boolean
}

/** Where a deployment is called, or was last; null where there is no such deployment. */
export async function findCalled(
  db: Db,
  { ownerId, runtimeId, version }: { ownerId: string; runtimeId: string; version: number },
): Promise<Called | null> {
  const row = await db
    .selectFrom('deployments')
    .select(['manifest', 'endpoint'])
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId, version }))
    .executeTakeFirst()
  if (!row) return null
  const { endpoint = null, reconcile = false } = readStoredManifestPart(row.manifest)
  return { endpoint: row.endpoint ?? endpoint, reconcile, isRecorded: row.endpoint !== null }
}

/** Records where a deployment is called. */
export async function recordCalled(
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
