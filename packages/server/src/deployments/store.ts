import type { DeploymentManifest } from '@svc/contract'
import type { Insertable, Selectable } from 'kysely'
import { updateRuntime } from '../runtimes/store.ts'
import type { PageRequest } from '../store/page.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { isBudgetLow } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import { readStoredManifest } from './stored-manifest-rules.ts'
import { deleteSurplus, MANIFEST_BYTES } from './surplus-store.ts'

type DeploymentRow = Selectable<Schema['deployments']>

export interface DeploymentSummary {
  version: number
  deployedAt: number
  capabilityCount: number
}

/** A stored deployment. */
export interface Deployment extends DeploymentSummary {
  manifest: DeploymentManifest
  /** Bytes of the manifest, as JSON text. */
  bytes: number
}

/** Which deployment; none has the version null. */
interface DeploymentKey {
  ownerId: string
  runtimeId: string
  version: number | null
}

/**
 * Stores a deployment under the runtime's next number, as the serving one, and deletes the surplus, in one transaction.
 * Returns the row that it replaces, and the endpoint that the runtime had; null where there is no such runtime. An undefined
 * `endpoint` keeps that. `takeDeployment` takes one from the runtime's bucket, or throws where it is empty.
 */
export function insertDeployment(
  db: Db,
  deployment: Omit<Insertable<Schema['deployments']>, 'version'>,
  options: {
    endpoint: string | undefined
    takeDeployment: (fullAt: number) => number
    keep: number
    newEventId: () => string
  },
) {
  const { owner_id: ownerId, runtime_id: runtimeId, deployed_at: now, manifest } = deployment
  const { endpoint, takeDeployment, keep, newEventId } = options
  return inTransaction(db, async (tx) => {
    const owner = await lockOwner(tx, ownerId)
    const runtime = await tx
      .selectFrom('runtimes')
      .select(['serving_version', 'endpoint'])
      .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
      .forUpdate()
      .executeTakeFirst()
    if (!runtime) return null
    // The runtime's row is locked: its bucket needs no lock.
    const fullAt = takeDeployment(await readDeploymentBucket(tx, ownerId, runtimeId))
    await tx
      .insertInto('allowances')
      .values({ owner_id: ownerId, bucket: bucketOf(runtimeId), full_at: fullAt })
      .onConflict((conflict) => conflict.columns(['owner_id', 'bucket']).doUpdateSet({ full_at: fullAt }))
      .execute()
    const replaced = await findRow(tx, { ownerId, runtimeId, version: runtime.serving_version })
    const version = (runtime.serving_version ?? 0) + 1
    await tx
      .insertInto('deployments')
      .values({ ...deployment, version })
      .execute()
    await updateRuntime(tx, ownerId, { runtimeId, now }, { serving_version: version, endpoint })
    // With the account's storage full, ended executions no longer keep their deployments.
    const usedBefore = isBudgetLow(owner.tier, owner.stored_bytes) ? now + 1 : retainedSince(owner.tier, now)
    const deleted = await deleteSurplus(tx, { ownerId, runtimeId, keep, usedBefore })
    await addStoredBytes(tx, [{ ownerId, bytes: Buffer.byteLength(manifest) - deleted.bytes }])
    const data = { version, replacedVersion: runtime.serving_version }
    await addEvents(tx, newEventId, [{ ownerId, runtimeId, type: 'deployment.promoted', data, at: now }])
    return { version, replaced, endpointBefore: runtime.endpoint }
  })
}

/** The bucket of a runtime's deployments, for `takeDeployment`. */
export async function readDeploymentBucket(db: Db, ownerId: string, runtimeId: string): Promise<number> {
  const row = await db
    .selectFrom('allowances')
    .select('full_at')
    .where((eb) => eb.and({ owner_id: ownerId, bucket: bucketOf(runtimeId) }))
    .executeTakeFirst()
  return row?.full_at ?? 0
}

function bucketOf(runtimeId: string): string {
  return `deployments:${runtimeId}`
}

/** The runtimes of an account that have deployments, by id. */
export async function listDeployed(db: Db, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('runtimes')
    .select('runtime_id')
    .where('owner_id', '=', ownerId)
    .where('serving_version', 'is not', null)
    .execute()
  return rows.map((row) => row.runtime_id)
}

/**
 * One deployment of a runtime, or null. `reserve` is called with the bytes of its manifest before that is read, or with 0
 * where there is none.
 */
export async function findDeployment(
  db: Db,
  key: DeploymentKey,
  reserve?: (bytes: number) => void,
): Promise<Deployment | null> {
  if (reserve) {
    const measured = await deploymentOf(db, key).select(MANIFEST_BYTES.as('bytes')).executeTakeFirst()
    reserve(measured?.bytes ?? 0)
  }
  const row = await findRow(db, key)
  return row ? toDeployment(row) : null
}

async function findRow(db: Db, key: DeploymentKey): Promise<DeploymentRow | null> {
  if (key.version === null) return null
  return (await deploymentOf(db, key).selectAll().executeTakeFirst()) ?? null
}

function deploymentOf(db: Db, { ownerId, runtimeId, version }: DeploymentKey) {
  return db
    .selectFrom('deployments')
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .where('version', '=', version)
}

/** A page of a runtime's deployments, newest first, and the row after it, each with the version that serves now. */
export async function listDeployments(db: Db, ownerId: string, runtimeId: string, { limit, cursor }: PageRequest) {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('runtimes', (join) =>
      join
        .onRef('runtimes.owner_id', '=', 'deployments.owner_id')
        .onRef('runtimes.runtime_id', '=', 'deployments.runtime_id'),
    )
    .select(['deployments.version', 'deployed_at', 'capability_count', 'serving_version'])
    .where((eb) => eb.and({ 'deployments.owner_id': ownerId, 'deployments.runtime_id': runtimeId }))
    .$if(cursor !== null, (older) => older.where('deployments.version', '<', cursor?.at ?? 0))
    .orderBy('deployments.version', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({ ...toSummary(row), serving: row.serving_version }))
}

function toSummary(row: Pick<DeploymentRow, 'version' | 'deployed_at' | 'capability_count'>): DeploymentSummary {
  return { version: row.version, deployedAt: row.deployed_at, capabilityCount: row.capability_count }
}

/** Parses the manifest, of up to a megabyte. */
export function toDeployment(row: DeploymentRow): Deployment {
  const manifest = readStoredManifest(row.manifest)
  return { ...toSummary(row), manifest, bytes: Buffer.byteLength(row.manifest) }
}
