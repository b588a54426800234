import { createHash } from 'node:crypto'
import {
  buildDiscoveryManifest,
  DISCOVERY_TTL_SECONDS,
  type DiscoveryManifest,
  type DiscoverySource,
} from '@svc/contract'
import type { Reserve } from '../admission/in-flight.ts'
import { AppError, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { Lru } from '../lib/lru.ts'
import { findRuntimeById, type RuntimeView } from '../runtimes/store.ts'
import type { DeploymentDeps } from './deps.ts'
import { type BrokerSource, describeBroker } from './describe-broker.ts'
import { findDeployment } from './store.ts'

interface Published {
  body: string
  etag: string
}

/** What runtimes publish, by form and id, each of one revision of its runtime. */
export type PublishedCache = Lru<string, Published & { revision: number }>

const CACHED_CHARACTERS = 16 * 1024 * 1024

export function createPublishedCache(): PublishedCache {
  return new Lru(CACHED_CHARACTERS, ({ body }) => body.length)
}

/** Shared caches may keep a manifest for the TTL that the document has in it; browsers revalidate each time. */
export const MANIFEST_CACHE_CONTROL = `public, max-age=0, s-maxage=${DISCOVERY_TTL_SECONDS}`

export interface DiscoveryDeps extends Pick<DeploymentDeps, 'db' | 'baseUrl'> {
  published: PublishedCache
}

/** The forms in which a serving deployment is published, each as the document that it makes. */
const FORMS = { manifest: toManifest, openapi: describeBroker } as const

export type PublishedForm = keyof typeof FORMS

/** A runtime's serving deployment in one form. 404 before the first one; 400 when it cannot be published. */
export async function publishedForm(
  deps: DiscoveryDeps,
  { form, runtimeId, reserve }: { form: PublishedForm; runtimeId: string; reserve: Reserve },
): Promise<Published> {
  const runtime = await findRuntimeById(deps.db, runtimeId)
  if (!runtime) throw notFound('A deployment of this runtime')
  const name = `${form} ${runtimeId}`
  const cached = deps.published.get(name)
  if (cached?.revision === runtime.revision) return cached
  const source = await readSource(deps, runtime, reserve)
  const body = JSON.stringify(FORMS[form](source))
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  deps.published.set(name, { body, etag, revision: runtime.revision })
  return { body, etag }
}

async function readSource(deps: DiscoveryDeps, runtime: RuntimeView, reserve: Reserve): Promise<BrokerSource> {
  const { owner_id: ownerId, runtime_id: runtimeId, serving_version: version } = runtime
  const deployment = await findDeployment(deps.db, { ownerId, runtimeId, version }, reserve)
  if (!deployment) throw notFound('A deployment of this runtime')
  return {
    manifest: deployment.manifest,
    version: deployment.version,
    runtimeId,
    runtimeName: runtime.name,
    baseUrl: deps.baseUrl(),
    deployedAt: isoTime(deployment.deployedAt),
  }
}

function toManifest(source: DiscoverySource): DiscoveryManifest {
  const built = buildDiscoveryManifest(source)
  if (built.ok) return built.document
  throw new AppError('validation_error', built.problem, { fieldErrors: { 'adp.namespace': [built.problem] } })
}
