import { lookUpHashes } from '../credentials/credentials.ts'
import { findRuntimeKey } from '../credentials/store.ts'
import { findDeployment } from '../deployments/store.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound, unauthorized } from '../errors.ts'
import { type Coalescer, createCoalescer } from '../lib/coalesce.ts'
import { Lru } from '../lib/lru.ts'
import type { Limits } from '../limits.ts'
import {
  type ServingDeployment,
  type ServingRuntime,
  toServingDeployment,
  toServingRuntime,
} from './serving-runtime.ts'
import { findRevision, findServedRuntime } from './store.ts'

export type ServingDeps = Pick<Deps, 'db' | 'keyring' | 'clock' | 'serving' | 'schemas'>

interface CachedRuntime {
  runtime: ServingRuntime
  /** When the key that led here stops working; null for never. */
  expiresAt: number | null
}

/** What this process remembers of runtimes and deployments. Guesses, all of them: admission confirms the revision. */
export interface ServingCache {
  runtimes: Lru<string, CachedRuntime>
  /** By runtime id; one that was replaced is not asked for again. */
  deployments: Lru<string, ServingDeployment>
  reads: Coalescer<CachedRuntime>
  revisions: Coalescer<number | null>
}

const BYTES_BESIDE_MANIFEST = 2 * 1024

/** Each kind is kept up to so many bytes of manifests, as text; what is made of them takes some three times that. */
export function createServingCache({ cachedBytes }: Pick<Limits, 'cachedBytes'>): ServingCache {
  return {
    runtimes: new Lru(cachedBytes, ({ runtime }) => BYTES_BESIDE_MANIFEST + (runtime.deployment?.bytes ?? 0)),
    deployments: new Lru(cachedBytes, ({ bytes }) => BYTES_BESIDE_MANIFEST + bytes),
    reads: createCoalescer(),
    revisions: createCoalescer(),
  }
}

/**
 * A runtime that a caller was led to. It may come from the cache, so it can allow a request as far as admission, which
 * confirms it, but never refuse one: see {@link confirming}.
 */
export interface Located {
  readonly runtime: ServingRuntime
  readonly isFresh: boolean
  /** Reads the runtime again. Throws the doorway's refusal when it is gone or the key no longer opens it. */
  refresh(): Promise<void>
}

/** The runtime of a public key. Throws the one 401 when there is none. */
export async function locateByPublicKey(deps: ServingDeps, presented: string): Promise<Located> {
  const hashes = lookUpHashes(deps, 'public', presented)
  const [hash] = hashes ?? []
  if (!hashes || !hash) throw unauthorized()
  return locate(deps, `key:${hash}`, async () => {
    const key = await findRuntimeKey(deps.db, hashes, 'public', deps.clock.now())
    const runtime = key && (await load(deps, key.runtimeId))
    if (!runtime) throw unauthorized()
    return { runtime, expiresAt: key.expiresAt }
  })
}

/**
 * The runtime of an id that a stranger named, if it `has` what is asked for: at once where a remembered one has it.
 * Rejects with 404 otherwise, after the same statement whether or not there is such a runtime: how long it takes must
 * not tell one from the other.
 */
export function locateById(
  deps: ServingDeps,
  runtimeId: string,
  has: (runtime: ServingRuntime) => boolean,
): Located | Promise<Located> {
  const name = `id:${runtimeId}`
  const read = async () => {
    const runtime = await load(deps, runtimeId)
    if (!runtime) throw notFound('The capability')
    return { runtime, expiresAt: null }
  }
  const remembered = deps.serving.runtimes.get(name)?.runtime
  if (remembered && has(remembered)) return locate(deps, name, read)
  const confirm = async () => {
    const revision = await deps.serving.revisions.read(name, () => findRevision(deps.db, runtimeId))
    if (revision === (remembered?.revision ?? null)) throw notFound('The capability')
    deps.serving.runtimes.delete(name)
    const located = await locate(deps, name, read)
    if (!has(located.runtime)) throw notFound('The capability')
    return located
  }
  return confirm()
}

/** The runtime of this id if it is the owner's own. Throws 404 otherwise. */
export async function locateOwned(deps: ServingDeps, ownerId: string, runtimeId: string): Promise<Located> {
  const read = async () => {
    const runtime = await load(deps, runtimeId)
    if (!runtime || runtime.ownerId !== ownerId) throw notFound('The runtime')
    return { runtime, expiresAt: null }
  }
  return locate(deps, `owned:${ownerId}:${runtimeId}`, read)
}

/**
 * Runs `attempt` on the located runtime, at once where it can. A refusal that rests on a remembered runtime is tried again
 * on a fresh one, which takes a promise.
 */
export function confirming<T>(located: Located, attempt: (runtime: ServingRuntime) => T | Promise<T>): T | Promise<T> {
  const afresh = async (refusal: AppError) => {
    const { revision } = located.runtime
    await located.refresh()
    // What has not changed would be refused again, and some judgements take long.
    if (located.runtime.revision === revision) throw refusal
    return attempt(located.runtime)
  }
  const settle = (error: unknown) => {
    if (located.isFresh || !(error instanceof AppError)) throw error
    // That too much waits rests on no runtime, and must not cost a read of the database each time that it is said.
    if (error.code === 'rate_limit_exceeded') throw error
    return afresh(error)
  }
  try {
    const made = attempt(located.runtime)
    return made instanceof Promise ? made.catch(settle) : made
  } catch (error) {
    return settle(error)
  }
}

function locate(deps: ServingDeps, name: string, read: () => Promise<CachedRuntime>): Located | Promise<Located> {
  const cached = deps.serving.runtimes.get(name)
  if (cached && (cached.expiresAt === null || deps.clock.now() < cached.expiresAt)) {
    return new LocatedRuntime(deps, name, read, cached.runtime, false)
  }
  return readFresh(deps, name, read).then((runtime) => new LocatedRuntime(deps, name, read, runtime, true))
}

class LocatedRuntime implements Located {
  readonly #deps: ServingDeps
  readonly #name: string
  readonly #read: () => Promise<CachedRuntime>
  runtime: ServingRuntime
  isFresh: boolean

  constructor(
    deps: ServingDeps,
    name: string,
    read: () => Promise<CachedRuntime>,
    runtime: ServingRuntime,
    isFresh: boolean,
  ) {
    this.#deps = deps
    this.#name = name
    this.#read = read
    this.runtime = runtime
    this.isFresh = isFresh
  }

  async refresh(): Promise<void> {
    this.runtime = await readFresh(this.#deps, this.#name, this.#read)
    this.isFresh = true
  }
}

async function readFresh(
  { serving }: ServingDeps,
  name: string,
  read: () => Promise<CachedRuntime>,
): Promise<ServingRuntime> {
  serving.runtimes.delete(name)
  const entry = await serving.reads.read(name, read)
  serving.runtimes.set(name, entry)
  return entry.runtime
}

async function load(deps: ServingDeps, runtimeId: string): Promise<ServingRuntime | null> {
  const row = await findServedRuntime(deps.db, runtimeId)
  if (!row) return null
  const version = row.serving_version
  const deployment = version === null ? null : await loadDeployment(deps, row.owner_id, runtimeId, version)
  return toServingRuntime(deps, row, deployment)
}

async function loadDeployment(
  deps: ServingDeps,
  ownerId: string,
  runtimeId: string,
  version: number,
): Promise<ServingDeployment | null> {
  const kept = deps.serving.deployments.get(runtimeId)
  if (kept?.version === version) return kept
  const stored = await findDeployment(deps.db, ownerId, runtimeId, version)
  if (!stored) return null
  const deployment = toServingDeployment(deps, ownerId, stored)
  deps.serving.deployments.set(runtimeId, deployment)
  return deployment
}
