import type { DeploymentDetail, DeploymentListItem } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Reserve } from '../admission/in-flight.ts'
import { cutPage, type PageStart } from '../database/page.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import { findRuntime } from '../runtimes/store.ts'
import { type DeploymentSummary, findDeployment, listDeployments, readManifestBytes } from './store.ts'

/**
 * What one of the owner's runtimes has deployed, newest first, and where the next page begins. Throws 404 where the
 * runtime is nobody's or somebody else's.
 */
export async function listOwnDeployments(
  deps: Pick<Deps, 'db'>,
  owner: Owner,
  page: { runtimeId: string; limit: number; after: PageStart | null },
): Promise<{ deployments: DeploymentListItem[]; next: PageStart | null }> {
  const { runtimeId, limit } = page
  await servingVersion(deps, owner, runtimeId)
  const before = page.after?.at ?? null
  const rows = await listDeployments(deps.db, owner.ownerId, { runtimeId, limit: limit + 1, before })
  const { shown, next } = cutPage(rows, limit, ({ version }) => ({ at: version, id: String(version) }))
  return { deployments: shown.map((row) => toListItem(row, row.serving)), next }
}

/** One deployment with its manifest as it was sent, defaults filled in. Throws 404 where there is none of this number. */
export async function deploymentDetail(
  deps: Pick<Deps, 'db'>,
  owner: Owner,
  { runtimeId, version, reserve }: { runtimeId: string; version: number; reserve: Reserve },
): Promise<DeploymentDetail> {
  reserve(await readManifestBytes(deps.db, owner.ownerId, { runtimeId, version }))
  const found = await findDeployment(deps.db, owner.ownerId, runtimeId, version)
  // Read last: a deployment in between would be told superseded by the one before it.
  const serving = await servingVersion(deps, owner, runtimeId)
  if (!found) throw notFound('The deployment')
  const { manifest } = found
  return { ...toListItem({ ...found, capabilityCount: manifest.capabilities.length }, serving), manifest }
}

/** The serving deployment of the runtime whose deploy key a request carries. Throws 404 before the first one. */
export async function servingDetail(
  deps: Pick<Deps, 'db'>,
  { ownerId, runtimeId }: RuntimeIdentity,
  reserve: Reserve,
): Promise<DeploymentDetail> {
  const serving = (await findRuntime(deps.db, ownerId, runtimeId))?.serving_version ?? null
  if (serving !== null) reserve(await readManifestBytes(deps.db, ownerId, { runtimeId, version: serving }))
  const found = serving === null ? null : await findDeployment(deps.db, ownerId, runtimeId, serving)
  if (!found) throw notFound('A deployment of this runtime')
  const { manifest } = found
  return { ...toListItem({ ...found, capabilityCount: manifest.capabilities.length }, serving), manifest }
}

/** Throws 404 where the runtime is nobody's or somebody else's. */
async function servingVersion({ db }: Pick<Deps, 'db'>, owner: Owner, runtimeId: string): Promise<number | null> {
  const runtime = await findRuntime(db, owner.ownerId, runtimeId)
  if (!runtime) throw notFound('The runtime')
  return runtime.serving_version
}

function toListItem(
  { version, deployedAt, capabilityCount }: DeploymentSummary,
  serving: number | null,
): DeploymentListItem {
  return {
    version,
    status: version === serving ? 'active' : 'superseded',
    deployedAt: isoTime(deployedAt),
    capabilityCount,
  }
}
