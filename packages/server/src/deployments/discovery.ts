import { createHash } from 'node:crypto'
import { buildDiscoveryManifest, DISCOVERY_TTL_SECONDS } from '@svc/contract'
import type { Reserve } from '../admission/in-flight.ts'
import { AppError, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { Lru } from '../lib/lru.ts'
import { findServedRuntime, type RuntimeView } from '../runtimes/store.ts'
import type { DeploymentDeps } from './deps.ts'
import { findDeployment } from './store.ts'

interface PublishedManifest {
  body: string
  etag: string
}

/** Manifests by runtime id, each of one revision of its runtime. */
export type PublishedCache = Lru<string, PublishedManifest & { revision: number }>

const CACHED_CHARACTERS = 16 * 1024 * 1024

export function createPublishedCache(): PublishedCache {
  return new Lru(CACHED_CHARACTERS, ({ body }) => body.length)
}

/** Shared caches may keep a manifest as long as the document itself says; browsers revalidate each time. */
export const MANIFEST_CACHE_CONTROL = `public, max-age=0, s-maxage=${DISCOVERY_TTL_SECONDS}`

export interface DiscoveryDeps extends Pick<DeploymentDeps, 'db' | 'baseUrl'> {
  published: PublishedCache
}

/** The public manifest of a runtime's serving deployment. 404 before the first one; 400 when it cannot be published. */
export async function publishedManifest(
  deps: DiscoveryDeps,
  { runtimeId, reserve }: { runtimeId: string; reserve: Reserve },
): Promise<PublishedManifest> {
  const runtime = await findServedRuntime(deps.db, runtimeId)
  if (!runtime) throw notFound('A deployment of this runtime')
  const cached = deps.published.get(runtimeId)
  if (cached?.revision === runtime.revision) return cached
  const manifest = await publish(deps, runtime, reserve)
  deps.published.set(runtimeId, { ...manifest, revision: runtime.revision })
  return manifest
}

async function publish(deps: DiscoveryDeps, runtime: RuntimeView, reserve: Reserve): Promise<PublishedManifest> {
  const { owner_id: ownerId, runtime_id: runtimeId, serving_version: version } = runtime
  const deployment = await findDeployment(deps.db, { ownerId, runtimeId, version }, reserve)
  if (!deployment) throw notFound('A deployment of this runtime')
  const built = buildDiscoveryManifest({
    manifest: deployment.manifest,
    runtimeId,
    runtimeName: runtime.name,
    baseUrl: deps.baseUrl(),
    deployedAt: isoTime(deployment.deployedAt),
  })
  if (!built.ok) {
    throw new AppError('validation_error', built.problem, { fieldErrors: { 'adp.namespace': [built.problem] } })
  }
  const body = JSON.stringify(built.document)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
