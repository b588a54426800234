import { type DeploymentManifest, DeploymentManifest as ManifestSchema, type Tier } from '@svc/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { isBudgetLow, SQL_BYTES } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { takeDeployment } from './rules.ts'
import { deleteSurplus } from './surplus-store.ts'

export type DeploymentRow = Selectable<Schema['deployments']>

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

export type Insertion =
  | { outcome: 'stored'; version: number; replaced: DeploymentRow | null; endpoints: Endpoints }
  | { outcome: 'limited'; retryAfterMs: number }
  | { outcome: 'gone' }

/** The endpoint of the runtime before and after a deployment. */
interface Endpoints {
  before: string | null
  after: string | null
}

/**
 * Stores a deployment under the runtime's next number and makes it the serving one, and deletes what is beyond `keep`, in
 * one transaction under the locks of account and runtime. `limited`: the runtime has deployed `perHour` times within an hour.
 */
export async function insertDeployment(
  db: Kysely<Schema>,
  ownerId: string,
  deployment: NewDeployment,
  bounds: { perHour: number; keep: number },
): Promise<Insertion> {
  const text = JSON.stringify(deployment.manifest)
  return inTransaction(db, (tx) => insertLocked(tx, ownerId, { ...deployment, text }, bounds))
}

async function insertLocked(
  tx: Tx,
  ownerId: string,
  { runtimeId, deployedAt, deploymentId, manifest, text }: NewDeployment & { text: string },
  { perHour, keep }: { perHour: number; keep: number },
) {
  const owner = await lockOwner(tx, ownerId)
  const runtime = await lockRuntime(tx, ownerId, runtimeId)
  if (!owner || !runtime) return { outcome: 'gone' } as const
  const drawn = await drawDeployment(tx, ownerId, { runtimeId, perHour, now: deployedAt })
  if (!drawn.ok) return { outcome: 'limited', retryAfterMs: drawn.retryAfterMs } as const
  const { serving_version: serving } = runtime
  const replaced = serving === null ? null : await findRow(tx, ownerId, runtimeId, serving)
  const version = (serving ?? 0) + 1
  await tx
    .insertInto('deployments')
    .values({
      owner_id: ownerId,
      runtime_id: runtimeId,
      version,
      deployment_id: deploymentId,
      manifest: text,
      capability_count: manifest.capabilities.length,
      deployed_at: deployedAt,
    })
    .execute()
  const { endpoint } = manifest
  await tx
    .updateTable('runtimes')
    .set((eb) => ({
      serving_version: version,
      revision: eb('revision', '+', 1),
      updated_at: deployedAt,
      ...(endpoint !== undefined && { endpoint }),
    }))
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .execute()
  // Where the account's budget of stored bytes is used up, executions that have ended no longer hold their deployments.
  const isFull = isBudgetLow(owner.tier, owner.storedBytes)
  const usedBefore = isFull ? deployedAt + 1 : retainedSince(owner.tier, deployedAt)
  const deleted = await deleteSurplus(tx, { ownerId, runtimeId, keep, usedBefore })
  await addStoredBytes(tx, [{ ownerId, bytes: Buffer.byteLength(text) - deleted.bytes }])
  const endpoints: Endpoints = { before: runtime.endpoint, after: endpoint ?? runtime.endpoint }
  return { outcome: 'stored', version, replaced, endpoints } as const
}

/** How long the runtime has to wait until it may deploy again; 0 where it may now. */
export async function deploymentWaitMs(
  db: Kysely<Schema>,
  ownerId: string,
  { runtimeId, perHour, now }: { runtimeId: string; perHour: number; now: number },
): Promise<number> {
  const taken = takeDeployment(await readBucket(db, ownerId, bucketOf(runtimeId)), perHour, now)
  return taken.ok ? 0 : taken.retryAfterMs
}

function bucketOf(runtimeId: string): string {
  return `deployments:${runtimeId}`
}

async function readBucket(db: Kysely<Schema>, ownerId: string, bucket: string): Promise<number> {
  const row = await db
    .selectFrom('allowances')
    .select('full_at')
    .where('owner_id', '=', ownerId)
    .where('bucket', '=', bucket)
    .executeTakeFirst()
  return row?.full_at ?? 0
}

/** Locks an account for whoever changes what it has deployed; null where it is gone. Before its runtimes. */
export async function lockOwner(tx: Tx, ownerId: string): Promise<{ tier: Tier; storedBytes: number } | null> {
  const row = await tx
    .selectFrom('owners')
    .select(['tier', 'stored_bytes'])
    .where('owner_id', '=', ownerId)
    .forUpdate()
    .executeTakeFirst()
  return row ? { tier: row.tier, storedBytes: row.stored_bytes } : null
}

/** Locks a runtime; null where it is gone. */
export async function lockRuntime(
  tx: Tx,
  ownerId: string,
  runtimeId: string,
): Promise<{ serving_version: number | null; endpoint: string | null } | null> {
  const row = await tx
    .selectFrom('runtimes')
    .select(['serving_version', 'endpoint'])
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

// The runtime's row is locked: the bucket needs no lock of its own.
async function drawDeployment(
  tx: Tx,
  ownerId: string,
  { runtimeId, perHour, now }: { runtimeId: string; perHour: number; now: number },
): Promise<ReturnType<typeof takeDeployment>> {
  const bucket = bucketOf(runtimeId)
  const taken = takeDeployment(await readBucket(tx, ownerId, bucket), perHour, now)
  if (!taken.ok) return taken
  await tx
    .insertInto('allowances')
    .values({ owner_id: ownerId, bucket, full_at: taken.fullAt })
    .onConflict((conflict) => conflict.columns(['owner_id', 'bucket']).doUpdateSet({ full_at: taken.fullAt }))
    .execute()
  return taken
}

/** The runtimes of an account that have deployments, by id. */
export async function listDeployed(db: Kysely<Schema>, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('runtimes')
    .select('runtime_id')
    .where('owner_id', '=', ownerId)
    .where('serving_version', 'is not', null)
    .execute()
  return rows.map((row) => row.runtime_id)
}

/** Bytes of a deployment's manifest, found without reading it; 0 where there is none. */
export async function readManifestBytes(
  db: Kysely<Schema>,
  ownerId: string,
  { runtimeId, version }: { runtimeId: string; version: number },
): Promise<number> {
  const row = await db
    .selectFrom('deployments')
    .select(sql<number>`${sql.raw(SQL_BYTES.deployments)}`.as('bytes'))
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.bytes ?? 0
}

/** One deployment of a runtime by its number, or null. */
export async function findDeployment(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeId: string,
  version: number,
): Promise<Deployment | null> {
  const row = await findRow(db, ownerId, runtimeId, version)
  return row ? toDeployment(row) : null
}

async function findRow(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeId: string,
  version: number,
): Promise<DeploymentRow | null> {
  const row = await db
    .selectFrom('deployments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row ?? null
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
  row: Pick<Selectable<Schema['deployments']>, 'version' | 'deployed_at' | 'capability_count'>,
): DeploymentSummary {
  return { version: row.version, deployedAt: row.deployed_at, capabilityCount: row.capability_count }
}

/** A row with its manifest parsed, which has up to a megabyte. */
export function toDeployment(row: DeploymentRow): Deployment {
  const manifest = ManifestSchema.parse(JSON.parse(row.manifest))
  return { version: row.version, deployedAt: row.deployed_at, manifest, bytes: Buffer.byteLength(row.manifest) }
}
