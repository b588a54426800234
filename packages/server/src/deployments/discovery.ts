import { createHash } from 'node:crypto'
import { buildDiscoveryManifest, DISCOVERY_TTL_SECONDS } from '@svc/contract'
import type { Reserve } from '../admission/in-flight.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { Lru } from '../lib/lru.ts'
import { findServedRuntime, type RuntimeView } from '../runtimes/store.ts'
import { findDeployment, readManifestBytes } from './store.ts'

export interface PublishedManifest {
  body: string
  etag: string
}

/** The manifests that were asked for lately, by runtime id, each as of one revision of its runtime. */
export type PublishedCache = Lru<string, PublishedManifest & { revision: number }>

const CACHED_CHARACTERS = 16 * 1024 * 1024

export function createPublishedCache(): PublishedCache {
  return new Lru(CACHED_CHARACTERS, ({ body }) => body.length)
}

/** A shared cache may hold a manifest as long as the document itself says; a browser asks again each time. */
export const MANIFEST_CACHE_CONTROL = `public, max-age=0, s-maxage=${DISCOVERY_TTL_SECONDS}`

/** The public manifest of a runtime's serving deployment. 404 before the first one; 400 when it cannot be published. */
export async function publishedManifest(
  deps: Pick<Deps, 'db' | 'baseUrl' | 'published'>,
  { runtimeId, reserve }: { runtimeId: string; reserve: Reserve },
): Promise<PublishedManifest> {
  const runtime = await findServedRuntime(deps.db, runtimeId)
  if (!runtime) throw notFound('A deployment of this runtime')
  const kept = deps.published.get(runtimeId)
  if (kept?.revision === runtime.revision) return kept
  const manifest = await publish(deps, runtime, reserve)
  deps.published.set(runtimeId, { ...manifest, revision: runtime.revision })
  return manifest
}

async function publish(
  deps: Pick<Deps, 'db' | 'baseUrl'>,
  runtime: RuntimeView,
  reserve: Reserve,
): Promise<PublishedManifest> {
  const { owner_id: ownerId, runtime_id: runtimeId, serving_version: version } = runtime
  if (version !== null) reserve(await readManifestBytes(deps.db, ownerId, { runtimeId, version }))
  const deployment = version === null ? null : await findDeployment(deps.db, ownerId, runtimeId, version)
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
