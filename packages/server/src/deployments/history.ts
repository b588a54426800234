import type { DeploymentDetail, DeploymentList, DeploymentListItem } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Reserve } from '../admission/in-flight.ts'
import { notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { frozenOf } from '../runtimes/rules.ts'
import { type RuntimeIdentity, requireRuntime } from '../runtimes/runtimes.ts'
import { type CandidateView, findRuntime } from '../runtimes/store.ts'
import { cutPage, type PageRequest } from '../store/page.ts'
import { type DeploymentSummary, findDeployment, listDeployments } from './store.ts'

/** The deployments of one of the owner's runtimes, newest first. Throws 404 for other runtimes. */
export async function listOwnDeployments(
  { db }: Pick<CoreDeps, 'db'>,
  owner: Owner,
  { runtimeId, ...page }: PageRequest & { runtimeId: string },
): Promise<DeploymentList> {
  await requireRuntime({ db }, owner, runtimeId)
  const rows = await listDeployments(db, owner.ownerId, runtimeId, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ version }) => ({ at: version, id: String(version) }))
  return { deployments: shown.map((row) => toListItem(row, row.runtime)), nextCursor }
}

/** One deployment with its manifest as it was sent, defaults filled in. Throws 404 where there is none of this number. */
export async function deploymentDetail(
  { db }: Pick<CoreDeps, 'db'>,
  owner: Owner,
  { runtimeId, version, reserve }: { runtimeId: string; version: number; reserve: Reserve },
): Promise<DeploymentDetail> {
  const found = await findDeployment(db, { ownerId: owner.ownerId, runtimeId, version }, reserve)
  // Read last: the newest deployment of this moment is never shown as superseded by itself.
  const runtime = await requireRuntime({ db }, owner, runtimeId)
  if (!found) throw notFound('The deployment')
  return { ...toListItem(found, runtime), manifest: found.manifest }
}

/** The serving deployment of the runtime whose deploy key a request carries. Throws 404 before the first one. */
export async function servingDetail(
  { db }: CoreDeps,
  place: RuntimeIdentity,
  reserve: Reserve,
): Promise<DeploymentDetail> {
  const { ownerId, runtimeId } = place
  const runtime = await findRuntime(db, ownerId, runtimeId)
  const version = runtime?.serving_version ?? null
  const found = await findDeployment(db, { ownerId, runtimeId, version }, reserve)
  if (!runtime || !found) throw notFound('A deployment of this runtime')
  return { ...toListItem(found, runtime), manifest: found.manifest }
}

type Serving = CandidateView & { serving_version: number | null }

function toListItem(deployment: DeploymentSummary, runtime: Serving): DeploymentListItem {
  const { version, deployedAt, capabilityCount, source, deployedBy } = deployment
  const item = { version, deployedAt: isoTime(deployedAt), capabilityCount, frozen: null, source, deployedBy }
  const { candidate_version: candidate, candidate_traffic: traffic } = runtime
  if (version === runtime.serving_version) return { ...item, status: 'active', traffic: 100 - (traffic ?? 0) }
  if (version !== candidate) return { ...item, status: 'superseded', traffic: 0 }
  return { ...item, status: 'candidate', traffic: traffic ?? 0, frozen: frozenOf(runtime) }
}
