import * as contract from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { countWaiting } from '../approvals/list-store.ts'
import { lookUpHashes } from '../credentials/credentials.ts'
import { findRuntimeKey, findRuntimeKeys } from '../credentials/store.ts'
import { type Deployment, findDeployment } from '../deployments/store.ts'
import { notFound, unauthorized } from '../errors.ts'
import { countUnknownCalls } from '../executions/history-store.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { requireProject } from '../projects/projects.ts'
import { cutPage } from '../store/page.ts'
import type { RuntimeDeps } from './deps.ts'
import { probeEndpoint } from './probe-endpoint.ts'
import { connectionStatus, frozenOf } from './rules.ts'
import { parseOrigins } from './serving-runtime.ts'
import * as store from './store.ts'

const DAY_MS = 86_400_000

/** A runtime whose deploy key a request carries. */
export interface RuntimeIdentity {
  ownerId: string
  runtimeId: string
}

/** The runtime of a deploy key. Throws the one 401 for everything else. */
export async function authenticateDeployKey(deps: CoreDeps, presented: string): Promise<RuntimeIdentity> {
  const hashes = lookUpHashes(deps, 'deploy', presented)
  const key = hashes && (await findRuntimeKey(deps.db, hashes, 'deploy', deps.clock.now()))
  if (!key) throw unauthorized()
  return { ownerId: key.ownerId, runtimeId: key.runtimeId }
}

/** The owner's runtimes, newest first. */
export async function listOwnRuntimes(
  deps: RuntimeDeps,
  owner: Owner,
  page: store.RuntimesPage,
): Promise<contract.RuntimeList> {
  if (page.projectId !== undefined) await requireProject(deps, owner, page.projectId)
  const rows = await store.listRuntimes(deps.db, owner.ownerId, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.runtime_id }))
  const probed = await Promise.all(shown.map((row) => probeEndpoint(deps, row)))
  return { runtimes: probed.map((row) => toListItem(deps, row)), nextCursor }
}

/** The owner's runtime of this id. Throws 404 where there is none: another owner's reads as absent. */
export async function requireRuntime(
  { db }: Pick<CoreDeps, 'db'>,
  { ownerId }: Owner,
  runtimeId: string,
): Promise<store.RuntimeView> {
  const runtime = await store.findRuntime(db, ownerId, runtimeId)
  if (!runtime) throw notFound('The runtime')
  return runtime
}

/** One of the owner's runtimes in full, keys abbreviated. */
export async function runtimeDetail(
  deps: RuntimeDeps,
  owner: Owner,
  runtimeId: string,
): Promise<contract.RuntimeDetail> {
  const [deployment, row] = await probeServing(deps, await requireRuntime(deps, owner, runtimeId))
  const now = deps.clock.now()
  const keys = await findRuntimeKeys(deps.db, owner.ownerId, runtimeId)
  const ifAhead = (end: number | null) => (end !== null && end > now ? isoTime(end) : null)
  const manifest = deployment?.manifest
  return {
    ...toListItem(deps, row),
    healthNote: stateOf(deps, row).healthNote,
    tier: row.tier,
    capabilities: (manifest?.capabilities ?? []).map((capability) => ({
      name: capability.name,
      version: capability.version,
      description: capability.description,
      requiresEndUser: capability.requiresEndUser,
      deprecated: capability.deprecated ?? false,
      hasInputSchema: capability.actions[0]?.inputSchema !== undefined,
      effect: capability.effect ?? contract.DEFAULT_EFFECT,
      confirm: capability.confirm ?? false,
    })),
    allowedOrigins: parseOrigins(row.allowed_origins),
    deployKeyPrefix: keys.deploy.prefix,
    publicKeyPrefix: keys.public.prefix,
    previousDeployKeyExpiresAt: ifAhead(keys.deploy.graceEndsAt),
    previousPublicKeyExpiresAt: ifAhead(keys.public.graceEndsAt),
    previousSecretExpiresAt: ifAhead(row.previous_secret_expires_at),
    lastSeenAt: isoTimeOrNull(row.last_seen_at),
    website: manifest?.website ?? null,
    adp: manifest?.adp ?? null,
    endUsers: manifest?.endUsers ?? null,
  }
}

/** Replaces the origins from which browsers may use the public key. */
export async function setAllowedOrigins(
  { db, clock }: CoreDeps,
  { ownerId }: Owner,
  { runtimeId, origins }: contract.AllowedOriginsRequest & { runtimeId: string },
): Promise<contract.AllowedOrigins> {
  const allowedOrigins = [...new Set(origins)]
  const changes = { allowed_origins: JSON.stringify(allowedOrigins) }
  const isSet = await store.updateRuntime(db, ownerId, { runtimeId, now: clock.now() }, changes)
  if (!isSet) throw notFound('The runtime')
  return { runtimeId, allowedOrigins }
}

/** A runtime as its deploy key shows it. The request is a check-in. */
export async function runtimeStatus(deps: RuntimeDeps, identity: RuntimeIdentity): Promise<contract.RuntimeStatus> {
  const [deployment, row] = await probeServing(deps, await checkIn(deps, identity))
  const now = deps.clock.now()
  const [unknownCalls, waitingApprovals] = await Promise.all([
    countUnknownCalls(deps.db, identity, now - DAY_MS),
    countWaiting(deps.db, identity, now),
  ])
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
    candidate:
      row.candidate_version === null
        ? null
        : { version: row.candidate_version, traffic: row.candidate_traffic ?? 0, frozen: frozenOf(row) },
    capabilities: deployment?.manifest.capabilities.map(({ name }) => name) ?? [],
    deprecated: deployment?.manifest.capabilities.flatMap(toDeprecated) ?? [],
    effects: deployment?.manifest.capabilities.flatMap(toNotedEffect) ?? [],
    unknownCalls,
    waitingApprovals,
    ...stateOf(deps, row),
    provider: { name: deps.model.provider, model: deps.model.name },
  }
}

/** Stores a check-in and returns its time. */
export async function heartbeat(deps: CoreDeps, identity: RuntimeIdentity): Promise<contract.Heartbeat> {
  const { last_seen_at: lastSeenAt } = await checkIn(deps, identity)
  return { status: 'ok', lastSeenAt: isoTime(lastSeenAt ?? deps.clock.now()) }
}

async function checkIn({ db, clock }: CoreDeps, identity: RuntimeIdentity): Promise<store.RuntimeView> {
  const runtime = await store.recordLastSeen(db, identity, clock.now())
  if (!runtime) throw unauthorized()
  return runtime
}

function toListItem(deps: RuntimeDeps, row: store.RuntimeView): contract.RuntimeListItem {
  const { connection, health } = stateOf(deps, row)
  const { serving_version: version, deployed_at: deployedAt } = row
  return {
    runtimeId: row.runtime_id,
    name: row.name,
    version: row.version,
    projectId: row.project_id,
    endpoint: row.endpoint,
    connection,
    health,
    deployment: version === null || deployedAt === null ? null : { version, deployedAt: isoTime(deployedAt) },
    capabilityCount: row.capability_count ?? 0,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }
}

/** What serves a runtime, and the runtime after the probe of its endpoint, where one was due. */
function probeServing(deps: RuntimeDeps, found: store.RuntimeView): Promise<[Deployment | null, store.RuntimeView]> {
  const { owner_id: ownerId, runtime_id: runtimeId, serving_version: version } = found
  return Promise.all([findDeployment(deps.db, { ownerId, runtimeId, version }), probeEndpoint(deps, found)])
}

function toNotedEffect(capability: contract.Capability): contract.RuntimeStatus['effects'] {
  const { name, effect = contract.DEFAULT_EFFECT, confirm = false } = capability
  return effect === contract.DEFAULT_EFFECT && !confirm ? [] : [{ name, effect, confirm }]
}

function toDeprecated(capability: contract.Capability): contract.RuntimeStatus['deprecated'] {
  const { name, deprecated, deprecatedSince, removalNotBefore = null } = capability
  return deprecated && deprecatedSince ? [{ name, deprecatedSince, removalNotBefore }] : []
}

function stateOf({ clock, dispatcher }: RuntimeDeps, row: store.RuntimeView) {
  const { runtime_id: runtimeId, endpoint, last_seen_at: lastSeenAt } = row
  return {
    connection: { status: connectionStatus(lastSeenAt, clock.now()), transport: 'http' as const },
    health: endpoint === null ? 'unknown' : dispatcher.healthOf({ runtimeId, endpoint }),
    healthNote: endpoint === null ? null : dispatcher.healthNote({ runtimeId, endpoint }),
  }
}
