import type {
  Capability,
  Connection,
  Health,
  Heartbeat,
  RuntimeDetail,
  RuntimeListItem,
  RuntimeStatus,
} from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { lookUpHashes } from '../credentials/credentials.ts'
import { findGraceEnds, findKeyPrefixes, findRuntimeKey } from '../credentials/store.ts'
import { cutPage, type PageStart } from '../database/page.ts'
import { type Deployment, type DeploymentSummary, findDeployment, summarizeServing } from '../deployments/store.ts'
import type { Deps } from '../deps.ts'
import { notFound, unauthorized } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { limitTime } from '../lib/limit-time.ts'
import { requireProject } from '../projects/projects.ts'
import { type ProbeDeps, probeEndpoint } from './probe-endpoint.ts'
import { connectionStatus } from './rules.ts'
import { parseOrigins } from './serving-runtime.ts'
import {
  findRuntime,
  listRuntimes,
  type RuntimeRow,
  type RuntimeView,
  touchRuntime,
  updateRuntime,
  whoseRuntime,
} from './store.ts'

/** A runtime whose deploy key a request carries. */
export interface RuntimeIdentity {
  ownerId: string
  runtimeId: string
}

type ViewDeps = ProbeDeps

/** How long a look at a runtime waits for the probe of its endpoint. The probe goes on. */
const PROBE_WAIT_MS = 1_000

/** The runtime behind a deploy key. Throws the one 401 for everything else. */
export async function authenticateDeployKey(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  presented: string,
): Promise<RuntimeIdentity> {
  const hashes = lookUpHashes(deps, 'deploy', presented)
  const key = hashes && (await findRuntimeKey(deps.db, hashes, 'deploy', deps.clock.now()))
  if (!key) throw unauthorized()
  return { ownerId: key.ownerId, runtimeId: key.runtimeId }
}

export interface RuntimePage {
  limit: number
  after: PageStart | null
  projectId?: string | undefined
}

/** The owner's runtimes, newest first, and where the next page begins. */
export async function listOwnRuntimes(
  deps: ViewDeps,
  owner: Owner,
  page: RuntimePage,
): Promise<{ runtimes: RuntimeListItem[]; next: PageStart | null }> {
  if (page.projectId !== undefined) await requireProject(deps, owner, page.projectId)
  const rows = await listRuntimes(deps.db, owner.ownerId, {
    limit: page.limit + 1,
    after: page.after,
    projectId: page.projectId,
  })
  const { shown, next } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.runtime_id }))
  const runtimeIds = shown.map((row) => row.runtime_id)
  const [serving, probed] = await Promise.all([
    summarizeServing(deps.db, owner.ownerId, runtimeIds),
    Promise.all(shown.map((row) => probe(deps, row))),
  ])
  return {
    runtimes: probed.map((row) => toListItem(deps, row, serving.get(row.runtime_id) ?? null)),
    next,
  }
}

/** Throws 404 unless the runtime is the caller's: another tenant's reads as absent. */
export async function requireRuntime(deps: Pick<Deps, 'db'>, owner: Owner, runtimeId: string): Promise<void> {
  if ((await whoseRuntime(deps.db, owner.ownerId, runtimeId)) !== 'own') throw notFound('The runtime')
}

/** One of the owner's runtimes in full, keys abbreviated. */
export async function runtimeDetail(deps: ViewDeps, owner: Owner, runtimeId: string): Promise<RuntimeDetail> {
  const found = await findRuntime(deps.db, owner.ownerId, runtimeId)
  if (!found) throw notFound('The runtime')
  const { row, deployment } = await look(deps, found)
  const now = deps.clock.now()
  const [prefixes, graceEnds] = await Promise.all([
    findKeyPrefixes(deps.db, owner.ownerId, runtimeId),
    findGraceEnds(deps.db, owner.ownerId, { runtimeId, now }),
  ])
  const secretEnd = row.previous_secret_expires_at
  const manifest = deployment?.manifest
  const summary = deployment && { ...deployment, capabilityCount: deployment.manifest.capabilities.length }
  return {
    ...toListItem(deps, row, summary),
    healthNote: healthNoteOf(deps, row),
    tier: row.tier,
    capabilities: (manifest?.capabilities ?? []).map((capability) => ({
      name: capability.name,
      version: capability.version,
      description: capability.description,
      requiresEndUser: capability.requiresEndUser,
      deprecated: capability.deprecated ?? false,
      hasInputSchema: capability.actions[0]?.inputSchema !== undefined,
    })),
    allowedOrigins: parseOrigins(row.allowed_origins),
    deployKeyPrefix: prefixes.deploy,
    publicKeyPrefix: prefixes.public,
    previousDeployKeyExpiresAt: isoTimeOrNull(graceEnds.deploy),
    previousPublicKeyExpiresAt: isoTimeOrNull(graceEnds.public),
    previousSecretExpiresAt: secretEnd !== null && secretEnd > now ? isoTime(secretEnd) : null,
    lastSeenAt: isoTimeOrNull(row.last_seen_at),
    website: manifest?.website ?? null,
    adp: manifest?.adp ?? null,
  }
}

/** Replaces the origins from which browsers may use the public key. */
export async function setAllowedOrigins(
  deps: Pick<Deps, 'db' | 'clock'>,
  owner: Owner,
  input: { runtimeId: string; origins: readonly string[] },
): Promise<{ runtimeId: string; allowedOrigins: string[] }> {
  if (!(await findRuntime(deps.db, owner.ownerId, input.runtimeId))) throw notFound('The runtime')
  const allowedOrigins = [...new Set(input.origins)]
  await updateRuntime(deps.db, owner.ownerId, {
    runtimeId: input.runtimeId,
    changes: { allowedOrigins },
    updatedAt: deps.clock.now(),
  })
  return { runtimeId: input.runtimeId, allowedOrigins }
}

/** What a runtime's own operator sees of it. Asking is a check-in. */
export async function runtimeStatus(
  deps: ViewDeps & Pick<Deps, 'model' | 'baseUrl'>,
  runtime: RuntimeIdentity,
): Promise<RuntimeStatus> {
  await touchRuntime(deps.db, runtime.ownerId, runtime.runtimeId, deps.clock.now())
  const found = await findRuntime(deps.db, runtime.ownerId, runtime.runtimeId)
  if (!found) throw unauthorized()
  const { row, deployment } = await look(deps, found)
  return {
    runtimeId: row.runtime_id,
    name: row.name,
    baseUrl: deps.baseUrl().replace(/\/+$/, ''),
    endpoint: row.endpoint,
    deployment: deployment && {
      version: deployment.version,
      status: 'active',
      deployedAt: isoTime(deployment.deployedAt),
    },
    capabilities: deployment?.manifest.capabilities.map(({ name }) => name) ?? [],
    deprecated: deployment?.manifest.capabilities.flatMap(toDeprecated) ?? [],
    connection: connectionOf(deps, row),
    health: healthOf(deps, row),
    healthNote: healthNoteOf(deps, row),
    provider: { name: deps.model.provider, model: deps.model.name },
  }
}

/** Notes that a runtime was heard from. */
export async function heartbeat(deps: Pick<Deps, 'db' | 'clock'>, runtime: RuntimeIdentity): Promise<Heartbeat> {
  const seenAt = await touchRuntime(deps.db, runtime.ownerId, runtime.runtimeId, deps.clock.now())
  return { status: 'ok', lastSeenAt: isoTime(seenAt) }
}

function toListItem(deps: ViewDeps, row: RuntimeRow, deployment: DeploymentSummary | null): RuntimeListItem {
  return {
    runtimeId: row.runtime_id,
    name: row.name,
    version: row.version,
    projectId: row.project_id,
    endpoint: row.endpoint,
    connection: connectionOf(deps, row),
    health: healthOf(deps, row),
    deployment: deployment && { version: deployment.version, deployedAt: isoTime(deployment.deployedAt) },
    capabilityCount: deployment?.capabilityCount ?? 0,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }
}

/** A runtime and what serves, once its endpoint was probed where that was due. */
async function look(deps: ViewDeps, found: RuntimeView): Promise<{ row: RuntimeView; deployment: Deployment | null }> {
  const [deployment, row] = await Promise.all([servingDeployment(deps, found), probe(deps, found)])
  return { row, deployment }
}

function probe<Row extends RuntimeRow>(deps: ViewDeps, row: Row): Promise<Row> {
  return limitTime(probeEndpoint(deps, row), PROBE_WAIT_MS, row)
}

function toDeprecated(capability: Capability): RuntimeStatus['deprecated'] {
  const { name, deprecated, deprecatedSince, removalNotBefore = null } = capability
  return deprecated && deprecatedSince ? [{ name, deprecatedSince, removalNotBefore }] : []
}

function healthOf(deps: Pick<Deps, 'dispatcher'>, { runtime_id: runtimeId, endpoint }: RuntimeRow): Health {
  return endpoint === null ? 'unknown' : deps.dispatcher.healthOf({ runtimeId, endpoint })
}

function healthNoteOf(deps: Pick<Deps, 'dispatcher'>, { runtime_id: runtimeId, endpoint }: RuntimeRow): string | null {
  return endpoint === null ? null : deps.dispatcher.healthNote({ runtimeId, endpoint })
}

function connectionOf(deps: Pick<Deps, 'clock'>, row: RuntimeRow): Connection {
  return { status: connectionStatus(row.last_seen_at, deps.clock.now()), transport: 'http' }
}

async function servingDeployment(deps: Pick<Deps, 'db'>, row: RuntimeView): Promise<Deployment | null> {
  if (row.serving_version === null) return null
  return findDeployment(deps.db, row.owner_id, row.runtime_id, row.serving_version)
}
