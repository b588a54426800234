import { type DeploymentManifest, DeploymentManifest as ManifestSchema } from '@svc/contract'
import type { Kysely, Selectable } from 'kysely'
import type { DeploymentsTable, Schema } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'

/** A stored deployment. */
export interface Deployment {
  version: number
  deployedAt: number
  manifest: DeploymentManifest
  /** Of the manifest, as text. */
  bytes: number
}

export interface NewDeployment {
  deploymentId: string
  runtimeId: string
  manifest: DeploymentManifest
  deployedAt: number
}

/**
 * Stores a deployment under the runtime's next number and makes it the serving one, in one transaction under the
 * runtime's lock. Returns its number and that of the one it replaced; null when the runtime is gone.
 */
export async function insertDeployment(
  db: Kysely<Schema>,
  ownerId: string,
  deployment: NewDeployment,
): Promise<{ version: number; replaced: number | null } | null> {
  const manifest = JSON.stringify(deployment.manifest)
  return inTransaction(db, async (tx) => {
    const runtime = await tx
      .selectFrom('runtimes')
      .select('serving_version')
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', deployment.runtimeId)
      .forUpdate()
      .executeTakeFirst()
    if (!runtime) return null
    const { serving_version: serving } = runtime
    const version = (serving ?? 0) + 1
    await tx
      .insertInto('deployments')
      .values({
        owner_id: ownerId,
        runtime_id: deployment.runtimeId,
        version,
        deployment_id: deployment.deploymentId,
        manifest,
        capability_count: deployment.manifest.capabilities.length,
        deployed_at: deployment.deployedAt,
      })
      .execute()
    const { endpoint } = deployment.manifest
    await tx
      .updateTable('runtimes')
      .set((eb) => ({
        serving_version: version,
        revision: eb('revision', '+', 1),
        updated_at: deployment.deployedAt,
        ...(endpoint !== undefined && { endpoint }),
      }))
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', deployment.runtimeId)
      .execute()
    return { version, replaced: serving }
  })
}

/** One deployment of a runtime by its number, or null. */
export async function findDeployment(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeId: string,
  version: number,
): Promise<Deployment | null> {
  const row = await db
    .selectFrom('deployments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row ? toDeployment(row) : null
}

/**
 * Deployments of a runtime, newest first, `limit` of them with numbers below `before`; without their manifests. Which one
 * serves is of the same moment.
 */
export async function listDeployments(
  db: Kysely<Schema>,
  ownerId: string,
  page: { runtimeId: string; limit: number; before: number | null },
): Promise<(DeploymentSummary & { serving: number | null })[]> {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('runtimes', (join) =>
      join
        .onRef('runtimes.owner_id', '=', 'deployments.owner_id')
        .onRef('runtimes.runtime_id', '=', 'deployments.runtime_id'),
    )
    .select(['deployments.version', 'deployed_at', 'capability_count', 'serving_version'])
    .where('deployments.owner_id', '=', ownerId)
    .where('deployments.runtime_id', '=', page.runtimeId)
    .$if(page.before !== null, (older) => older.where('deployments.version', '<', page.before))
    .orderBy('deployments.version', 'desc')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({ ...toSummary(row), serving: row.serving_version }))
}

export interface DeploymentSummary {
  version: number
  deployedAt: number
  capabilityCount: number
}

/** The serving deployments of some runtimes of one owner, by runtime id, without their manifests. */
export async function summarizeServing(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeIds: readonly string[],
): Promise<Map<string, DeploymentSummary>> {
  if (runtimeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('runtimes')
    .innerJoin('deployments', (join) =>
      join
        .onRef('deployments.owner_id', '=', 'runtimes.owner_id')
        .onRef('deployments.runtime_id', '=', 'runtimes.runtime_id')
        .onRef('deployments.version', '=', 'runtimes.serving_version'),
    )
    .select(['runtimes.runtime_id', 'deployments.version', 'deployments.deployed_at', 'deployments.capability_count'])
    .where('runtimes.owner_id', '=', ownerId)
    .where('runtimes.runtime_id', 'in', runtimeIds)
    .execute()
  return new Map(rows.map((row) => [row.runtime_id, toSummary(row)]))
}

function toSummary(
  row: Pick<Selectable<DeploymentsTable>, 'version' | 'deployed_at' | 'capability_count'>,
): DeploymentSummary {
  return { version: row.version, deployedAt: row.deployed_at, capabilityCount: row.capability_count }
}

function toDeployment(row: Selectable<DeploymentsTable>): Deployment {
  const manifest = ManifestSchema.parse(JSON.parse(row.manifest))
  return { version: row.version, deployedAt: row.deployed_at, manifest, bytes: Buffer.byteLength(row.manifest) }
}
