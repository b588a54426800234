import { type DeploymentManifest, DeploymentSource } from '@svc/contract'
import type { Insertable, Selectable } from 'kysely'
import { CANDIDATE_COLUMNS } from '../runtimes/store.ts'
import type { PageRequest } from '../store/page.ts'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { isBudgetLow } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import {
  addPromotedEvent,
  applyPromotion,
  lockServingState,
  newestVersion,
  readBucket,
  type ServingState,
  type Take,
  takeFromLockedBucket,
} from './promotion-store.ts'
import { readStoredManifest } from './stored-manifest-rules.ts'
import { deleteSurplus, MANIFEST_BYTES } from './surplus-store.ts'

type DeploymentRow = Selectable<Schema['deployments']>

export interface DeploymentSummary {
  version: number
  deployedAt: number
  capabilityCount: number
  source: DeploymentSource | null
  deployedBy: string | null
}

export interface Deployment extends DeploymentSummary {
  manifest: DeploymentManifest
  /** Bytes of the manifest, as JSON text. */
  bytes: number
}

/** Which deployment. A version of null finds none. */
interface DeploymentKey {
  ownerId: string
  runtimeId: string
  version: number | null
}

/**
 * Stores a deployment under the runtime's next number, as the stable one or as the candidate, and deletes the surplus, in one
 * transaction. Returns the stable one before it, and the endpoint that the runtime had; null where there is no such runtime.
 * An undefined `endpoint` keeps that. `takeDeployment` takes one from the runtime's bucket, or throws where it is empty.
 */
export function insertDeployment(
  db: Db,
  deployment: Omit<Insertable<Schema['deployments']>, 'version' | 'endpoint'>,
  options: {
    endpoint: string | undefined
    /** Of a candidate, in percent; null where the deployment is promoted. */
    traffic: number | null
    /** Throws where the candidate cannot have its share. */
    requireShare: (current: ServingState, version: number) => void
    takeDeployment: Take
    keep: number
    newEventId: () => string
  },
) {
  const { owner_id: ownerId, runtime_id: runtimeId, deployed_at: now, manifest } = deployment
  const { endpoint, traffic, requireShare, takeDeployment, keep, newEventId } = options
  return inTransaction(db, async (tx) => {
    const owner = await lockOwner(tx, ownerId)
    const runtime = await lockServingState(tx, ownerId, runtimeId)
    if (!runtime) return null
    await takeFromLockedBucket(tx, ownerId, deploymentBucket(runtimeId), takeDeployment)
    const replaced = await findRow(tx, { ownerId, runtimeId, version: runtime.serving_version })
    const version = (await newestVersion(tx, ownerId, runtimeId)) + 1
    requireShare(runtime, version)
    const row = { ...deployment, version, endpoint: endpoint ?? runtime.endpoint }
    await tx.insertInto('deployments').values(row).execute()
    const promotion = { ownerId, runtimeId, version, traffic, endpoint, now }
    await applyPromotion(tx, runtime, promotion)
    // With the account's storage full, ended executions no longer keep their deployments.
    const usedBefore = isBudgetLow(owner.tier, owner.stored_bytes) ? now + 1 : retainedSince(owner.tier, now)
    const deleted = await deleteSurplus(tx, { ownerId, runtimeId, keep, usedBefore })
    await addStoredBytes(tx, [{ ownerId, bytes: Buffer.byteLength(manifest) - deleted.bytes }])
    await addPromotedEvent(tx, newEventId, runtime, promotion)
    return { version, replaced, endpointBefore: runtime.endpoint }
  })
}

/** The token bucket of a runtime's deployments, for `takeDeployment`. */
export function readDeploymentBucket(db: Db, ownerId: string, runtimeId: string): Promise<number> {
  return readBucket(db, ownerId, deploymentBucket(runtimeId))
}

function deploymentBucket(runtimeId: string): string {
  return `deployments:${runtimeId}`
}

/** The runtimes of an account that have deployments, by id. */
export async function listDeployed(db: Db, ownerId: string): Promise<string[]> {
  const own = db.selectFrom('runtimes').select('runtime_id').where('owner_id', '=', ownerId)
  const rows = await own.where('serving_version', 'is not', null).execute()
  return rows.map((row) => row.runtime_id)
}

/**
 * One deployment of a runtime, or null. `reserve` is called with the bytes of its manifest before that is read, or with 0
 * where there is none.
 */
export async function findDeployment(db: Db, key: DeploymentKey, reserve?: (bytes: number) => void) {
  if (reserve) {
    const measured = await firstRow(deploymentOf(db, key).select(MANIFEST_BYTES.as('bytes')))
    reserve(measured?.bytes ?? 0)
  }
  const row = await findRow(db, key)
  return row && toDeployment(row)
}

async function findRow(db: Db, key: DeploymentKey): Promise<DeploymentRow | null> {
  return key.version === null ? null : firstRow(deploymentOf(db, key).selectAll())
}

function deploymentOf(db: Db, { ownerId, runtimeId, version }: DeploymentKey) {
  const own = db.selectFrom('deployments').where('version', '=', version)
  return own.where(matching('deployments', { owner_id: ownerId, runtime_id: runtimeId }))
}

/** A page of a runtime's deployments, newest first, and the row after it, each with what serves now. */
export async function listDeployments(db: Db, ownerId: string, runtimeId: string, { limit, cursor }: PageRequest) {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('runtimes', (join) =>
      join
        .onRef('runtimes.owner_id', '=', 'deployments.owner_id')
        .onRef('runtimes.runtime_id', '=', 'deployments.runtime_id'),
    )
    .leftJoin('candidates', 'candidates.runtime_id', 'deployments.runtime_id')
    .select(['deployments.version', 'deployed_at', 'capability_count', 'source', 'deployed_by', 'serving_version'])
    .select(CANDIDATE_COLUMNS)
    .where(matching('deployments', { owner_id: ownerId, runtime_id: runtimeId }))
    .$if(cursor !== null, (older) => older.where('deployments.version', '<', cursor?.at ?? 0))
    .orderBy('deployments.version', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({ ...toSummary(row), runtime: row }))
}

type SummaryRow = Pick<DeploymentRow, 'version' | 'deployed_at' | 'capability_count' | 'source' | 'deployed_by'>

function toSummary(row: SummaryRow): DeploymentSummary {
  return {
    version: row.version,
    deployedAt: row.deployed_at,
    capabilityCount: row.capability_count,
    source: row.source === null ? null : DeploymentSource.parse(JSON.parse(row.source)),
    deployedBy: row.deployed_by,
  }
}

/** Parses the manifest, of up to a megabyte. */
export function toDeployment(row: DeploymentRow): Deployment {
  const manifest = readStoredManifest(row.manifest)
  return { ...toSummary(row), manifest, bytes: Buffer.byteLength(row.manifest) }
}
