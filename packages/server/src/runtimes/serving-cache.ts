import { lookUpHashes } from '../credentials/credentials.ts'
import { findRuntimeKey } from '../credentials/store.ts'
import { findDeployment } from '../deployments/store.ts'
import { AppError, notFound, unauthorized } from '../errors.ts'
import { type Coalescer, createCoalescer } from '../lib/coalesce.ts'
import { Lru } from '../lib/lru.ts'
import type { Limits } from '../limits.ts'
import type { RuntimeDeps } from './deps.ts'
import {
  type ServingDeployment,
  type ServingRuntime,
  toServingDeployment,
  toServingRuntime,
} from './serving-runtime.ts'
import { findRevision, findRuntimeById } from './store.ts'

export interface ServingDeps extends Pick<RuntimeDeps, 'db' | 'keyring' | 'clock' | 'schemas'> {
  serving: ServingCache
}

interface CacheEntry {
  runtime: ServingRuntime
  /** When the key of the entry stops working; null for never. */
  expiresAt: number | null
}

/** Caches of runtimes and deployments. An entry may be out of date: admission confirms its revision. */
export interface ServingCache {
  /** By the hash of a key, or by id. */
  runtimes: Lru<string, CacheEntry>
  /** By runtime id; candidates have the prefix `candidate `. */
  deployments: Lru<string, ServingDeployment>
  reads: Coalescer<CacheEntry>
  revisions: Coalescer<number | null>
}

const BYTES_BESIDE_MANIFEST = 2 * 1024

/** Each cache is limited by the bytes of its manifests as JSON text. Parsed, they take about three times that. */
export function createServingCache({ cachedBytes }: Pick<Limits, 'cachedBytes'>): ServingCache {
  return {
    runtimes: new Lru(cachedBytes, ({ runtime: { deployment, candidate } }) =>
      [deployment, candidate?.runtime.deployment].reduce((sum, one) => sum + (one?.bytes ?? 0), BYTES_BESIDE_MANIFEST),
    ),
    deployments: new Lru(cachedBytes, ({ bytes }) => BYTES_BESIDE_MANIFEST + bytes),
    reads: createCoalescer(),
    revisions: createCoalescer(),
  }
}

/**
 * A runtime that may come from the cache: it can allow a request as far as admission, which confirms its revision, but never
 * refuse one. See {@link revalidating}.
 */
export interface CachedRuntime {
  readonly runtime: ServingRuntime
  /** Read for this request. */
  readonly isFresh: boolean
  /** Reads the runtime again. Throws as the look-up does when it is gone or the key no longer works. */
  refresh(): Promise<void>
}

/** The runtime of a public key. Throws the one 401 when there is none. */
export async function lookUpByPublicKey(deps: ServingDeps, presented: string): Promise<CachedRuntime> {
  const hashes = lookUpHashes(deps, 'public', presented)
  const [hash] = hashes ?? []
  if (!hashes || !hash) throw unauthorized()
  const name = `key:${hash}`
  const readAgain = readInto(deps, name, async () => {
    const key = await findRuntimeKey(deps.db, hashes, 'public', deps.clock.now())
    const runtime = key && (await readRuntime(deps, key.runtimeId))
    if (!runtime) throw unauthorized()
    return { runtime, expiresAt: key.expiresAt }
  })
  const cached = deps.serving.runtimes.get(name)
  const isValid = cached && (cached.expiresAt === null || deps.clock.now() < cached.expiresAt)
  return isValid ? toCached(cached.runtime, false, readAgain) : toCached(await readAgain(), true, readAgain)
}

/**
 * The runtime of an id, if it `has` what is requested: synchronously where a cached one has it. Otherwise rejects with the 404
 * of `what`, after one statement in any case: the duration does not tell whether there is such a runtime.
 */
export function lookUpById(
  deps: ServingDeps,
  { runtimeId, what }: { runtimeId: string; what: string },
  has: (runtime: ServingRuntime) => boolean,
): CachedRuntime | Promise<CachedRuntime> {
  const name = `id:${runtimeId}`
  const readAgain = readInto(deps, name, async () => {
    const runtime = await readRuntime(deps, runtimeId)
    if (!runtime) throw notFound(what)
    return { runtime, expiresAt: null }
  })
  const cached = deps.serving.runtimes.get(name)?.runtime
  if (cached && has(cached)) return toCached(cached, false, readAgain)
  const confirm = async () => {
    const revision = await deps.serving.revisions.read(name, () => findRevision(deps.db, runtimeId))
    if (revision === (cached?.revision ?? null)) throw notFound(what)
    const runtime = await readAgain()
    if (!has(runtime)) throw notFound(what)
    return toCached(runtime, true, readAgain)
  }
  return confirm()
}

/**
 * Runs `attempt` on the runtime, synchronously where it can. After a refusal by a cached runtime that has changed since, it
 * runs once more on the one that is read again.
 */
export function revalidating<T>(
  cached: CachedRuntime,
  attempt: (runtime: ServingRuntime) => T | Promise<T>,
): T | Promise<T> {
  const retry = async (error: unknown): Promise<T> => {
    // A 429 says nothing about the runtime, and must not cost a read of the database each time.
    if (cached.isFresh || !(error instanceof AppError) || error.code === 'rate_limit_exceeded') throw error
    const { revision } = cached.runtime
    await cached.refresh()
    // An unchanged runtime would refuse again, after checks that may take long.
    if (cached.runtime.revision === revision) throw error
    return attempt(cached.runtime)
  }
  try {
    const made = attempt(cached.runtime)
    return made instanceof Promise ? made.catch(retry) : made
  } catch (error) {
    return retry(error)
  }
}

function readInto({ serving }: ServingDeps, name: string, read: () => Promise<CacheEntry>) {
  return async (): Promise<ServingRuntime> => {
    serving.runtimes.delete(name)
    const entry = await serving.reads.read(name, read)
    serving.runtimes.set(name, entry)
    return entry.runtime
  }
}

function toCached(runtime: ServingRuntime, isFresh: boolean, readAgain: () => Promise<ServingRuntime>): CachedRuntime {
  const cached = {
    runtime,
    isFresh,
    async refresh(): Promise<void> {
      cached.runtime = await readAgain()
      cached.isFresh = true
    },
  }
  return cached
}

async function readRuntime(deps: ServingDeps, runtimeId: string): Promise<ServingRuntime | null> {
  const row = await findRuntimeById(deps.db, runtimeId)
  if (!row) return null
  const { owner_id: ownerId, serving_version, candidate_version } = row
  const [stable, candidate] = await Promise.all([
    readDeployment(deps, runtimeId, { ownerId, runtimeId, version: serving_version }),
    readDeployment(deps, `candidate ${runtimeId}`, { ownerId, runtimeId, version: candidate_version }),
  ])
  return toServingRuntime(deps, row, { stable, candidate })
}

async function readDeployment(
  deps: ServingDeps,
  name: string,
  key: { ownerId: string; runtimeId: string; version: number | null },
): Promise<ServingDeployment | null> {
  if (key.version === null) return null
  const cached = deps.serving.deployments.get(name)
  if (cached && cached.version === key.version) return cached
  const stored = await findDeployment(deps.db, key)
  if (!stored) return null
  const deployment = toServingDeployment(deps, key.ownerId, stored)
  deps.serving.deployments.set(name, deployment)
  return deployment
}
