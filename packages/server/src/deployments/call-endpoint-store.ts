import { firstRow, matching } from '../store/rows.ts'
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

interface Called {
  ownerId: string
  runtimeId: string
  version: number
}

/** The endpoint that a deployment is called at, or was last; null where there is no such deployment. */
export async function findCallEndpoint(db: Db, called: Called): Promise<CallEndpoint | null> {
  const row = await firstRow(db.selectFrom('deployments').select(['manifest', 'endpoint']).where(isThis(called)))
  if (!row) return null
  const { endpoint = null, reconcile = false } = readStoredManifestPart(row.manifest)
  return { endpoint: row.endpoint ?? endpoint, reconcile, isRecorded: row.endpoint !== null }
}

export async function recordCallEndpoint(db: Db, called: Called, endpoint: string | null): Promise<void> {
  await db.updateTable('deployments').set({ endpoint }).where(isThis(called)).execute()
}

function isThis({ ownerId, runtimeId, version }: Called) {
  return matching('deployments', { owner_id: ownerId, runtime_id: runtimeId, version })
}
