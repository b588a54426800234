import type { Tier } from '@svc/contract'
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely'
import { findRuntimeKeys, type NewCredential, type RuntimeKeys } from '../credentials/store.ts'
import { isRetired, type Place } from '../deletions/store.ts'
import { hasProject } from '../projects/store.ts'
import { type PageRequest, pageBy } from '../store/page.ts'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { LAST_SEEN_INTERVAL_MS } from './rules.ts'

/** The candidate of a runtime, in columns; all are null where there is none. */
export interface CandidateView {
  candidate_version: number | null
  candidate_traffic: number | null
  candidate_since: number | null
  frozen_reason: string | null
  frozen_at: number | null
}

export const CANDIDATE_COLUMNS = [
  'candidates.version as candidate_version',
  'candidates.traffic as candidate_traffic',
  'candidates.since as candidate_since',
  'frozen_reason',
  'frozen_at',
] as const

/** A runtime with its account's tier, its candidate, and when its serving deployment was made, with how many capabilities. */
export interface RuntimeView extends Selectable<Schema['runtimes']>, CandidateView {
  tier: Tier
  deployed_at: number | null
  capability_count: number | null
  /** The endpoint that the candidate is called at; null: that of the runtime. */
  candidate_endpoint: string | null
}

/** What `requireAllowed` judges an insertion by. */
export interface InsertedRuntime {
  tier: Tier
  /** Before the insertion. */
  runtimeCount: number
  isRetired: boolean
  hasProject: boolean
}

/**
 * Inserts a runtime with its keys; false where its id is taken. `requireAllowed` throws where the plan allows no further one,
 * or the id was a deleted runtime's. The account's row is locked, so that concurrent insertions cannot exceed the plan.
 */
export function insertRuntime(
  db: Db,
  runtime: Insertable<Schema['runtimes']>,
  credentials: NewCredential[],
  requireAllowed: (found: InsertedRuntime) => void,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { tier } = await lockOwner(tx, runtime.owner_id)
    const own = tx.selectFrom('runtimes').where('owner_id', '=', runtime.owner_id)
    const { count } = await own.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    const inserting = tx.insertInto('runtimes').values(runtime)
    const isInserted = await hasEffect(inserting.onConflict((conflict) => conflict.doNothing()))
    // After the insert, which waits for a deletion of the same id.
    const retired = await isRetired(tx, runtime.runtime_id)
    const inProject = await hasProject(tx, runtime.owner_id, runtime.project_id)
    // Before the plan's limit: registering an own runtime again is never refused by it.
    if (!isInserted && !retired) return false
    requireAllowed({ tier, runtimeCount: Number(count), isRetired: retired, hasProject: inProject })
    await tx.insertInto('credentials').values(credentials).execute()
    return true
  })
}

/**
 * Changes a runtime and increments its revision, so that every replica reads it again; its row stays locked until the end of
 * a transaction. False where this owner has no such runtime.
 */
export function updateRuntime(
  db: Db,
  ownerId: string,
  { runtimeId, now }: { runtimeId: string; now: number },
  changes: UpdateObject<Schema, 'runtimes'> = {},
): Promise<boolean> {
  const own = db.updateTable('runtimes').where(matching('runtimes', { owner_id: ownerId, runtime_id: runtimeId }))
  return hasEffect(own.set((eb) => ({ ...changes, revision: eb('revision', '+', 1), updated_at: now })))
}

type RuntimeChanges = UpdateObject<Schema, 'runtimes'> & { endpoint?: string | undefined }

/**
 * Updates a runtime and returns it; null where this owner has no such runtime, or no such project any more. A new endpoint
 * moves every deployment that is called at the one before. One transaction: no read fails after it.
 */
export function changeRuntime(
  db: Db,
  ownerId: string,
  { projectId, ...at }: { runtimeId: string; now: number; projectId: string | undefined },
  changes: RuntimeChanges,
): Promise<{ runtime: RuntimeView; keys: RuntimeKeys } | null> {
  return inTransaction(db, async (tx) => {
    // The lock keeps the project from being deleted before the commit.
    if (projectId !== undefined) await lockOwner(tx, ownerId)
    if (projectId !== undefined && !(await hasProject(tx, ownerId, projectId))) return null
    if (changes.endpoint !== undefined) await moveDeployments(tx, ownerId, at.runtimeId, changes.endpoint)
    await updateRuntime(tx, ownerId, at, { ...changes, project_id: projectId })
    const runtime = await findRuntime(tx, ownerId, at.runtimeId)
    return runtime && { runtime, keys: await findRuntimeKeys(tx, ownerId, at.runtimeId) }
  })
}

async function moveDeployments(tx: Tx, ownerId: string, runtimeId: string, endpoint: string): Promise<void> {
  const own = { owner_id: ownerId, runtime_id: runtimeId }
  // Locks rows in the order of `insertDeployment`: account, runtime, deployments.
  await lockOwner(tx, ownerId)
  const found = tx.selectFrom('runtimes').select(['endpoint', 'serving_version']).where(matching('runtimes', own))
  const before = await firstRow(found.forUpdate())
  if (!before || before.endpoint === endpoint) return
  // With the first endpoint, only the serving deployment is called there from now on.
  const version = before.endpoint === null ? { version: before.serving_version ?? 0 } : {}
  const moved = matching('deployments', { ...own, endpoint: before.endpoint, ...version })
  await tx.updateTable('deployments').set({ endpoint }).where(moved).execute()
}

/**
 * Replaces the signing secret. The current one becomes the previous one until `previousEndsAt`, or is deleted where that is
 * null. False where this owner has no such runtime.
 */
export function replaceSecret(
  db: Db,
  ownerId: string,
  next: { runtimeId: string; sealed: string; previousEndsAt: number | null; now: number },
): Promise<boolean> {
  // One statement, which reads the row as it was before: concurrent rotations cannot lose each other's secret.
  return updateRuntime(db, ownerId, next, {
    secret_sealed: next.sealed,
    previous_secret_sealed: next.previousEndsAt === null ? null : sql.ref('secret_sealed'),
    previous_secret_expires_at: next.previousEndsAt,
  })
}

export async function findRuntime(db: Db, ownerId: string, runtimeId: string): Promise<RuntimeView | null> {
  const runtime = await findRuntimeById(db, runtimeId)
  return runtime?.owner_id === ownerId ? runtime : null
}

/** One runtime of any owner, or null: for requests whose credential or public address names it. */
export function findRuntimeById(db: Db, runtimeId: string): Promise<RuntimeView | null> {
  return firstRow(runtimeViews(db).where('runtimes.runtime_id', '=', runtimeId))
}

/** A runtime's revision, null where there is none. An aggregate returns one row either way, so that both take as long. */
export async function findRevision(db: Db, runtimeId: string): Promise<number | null> {
  const runtimes = db.selectFrom('runtimes').where('runtime_id', '=', runtimeId)
  const latest = runtimes.select(({ fn }) => fn.max<number | null>('revision').as('revision'))
  return (await latest.executeTakeFirstOrThrow()).revision
}

export interface RuntimesPage extends PageRequest {
  projectId?: string | undefined
}

/** A page of this owner's runtimes, newest first, and the row after it. */
export function listRuntimes(db: Db, ownerId: string, { projectId, ...page }: RuntimesPage): Promise<RuntimeView[]> {
  const inProject = projectId === undefined ? {} : { project_id: projectId }
  return runtimeViews(db)
    .where(matching('runtimes', { owner_id: ownerId, ...inProject }))
    .$call(pageBy('runtimes.created_at', 'runtimes.runtime_id', page))
    .execute()
}

function runtimeViews(db: Db) {
  return db
    .selectFrom('runtimes')
    .innerJoin('owners', 'owners.owner_id', 'runtimes.owner_id')
    .leftJoin('deployments', (join) =>
      join
        .onRef('deployments.owner_id', '=', 'runtimes.owner_id')
        .onRef('deployments.runtime_id', '=', 'runtimes.runtime_id')
        .onRef('deployments.version', '=', 'runtimes.serving_version'),
    )
    .leftJoin('candidates', 'candidates.runtime_id', 'runtimes.runtime_id')
    .leftJoin('deployments as candidate_deployment', (join) =>
      join
        .onRef('candidate_deployment.owner_id', '=', 'runtimes.owner_id')
        .onRef('candidate_deployment.runtime_id', '=', 'runtimes.runtime_id')
        .onRef('candidate_deployment.version', '=', 'candidates.version'),
    )
    .selectAll('runtimes')
    .select(['owners.tier', 'deployments.deployed_at', 'deployments.capability_count'])
    .select('candidate_deployment.endpoint as candidate_endpoint')
    .select(CANDIDATE_COLUMNS)
    .where('owners.deleted_at', 'is', null)
}

/**
 * Sets `last_seen_at` of a runtime, at most every ten seconds, and returns the runtime; null where there is none. The revision
 * stays: nothing that is cached of it has changed.
 */
export async function recordLastSeen(db: Db, { ownerId, runtimeId }: Place, now: number): Promise<RuntimeView | null> {
  const row = await findRuntime(db, ownerId, runtimeId)
  const lastSeenAt = row?.last_seen_at ?? null
  if (row === null || (lastSeenAt !== null && Math.abs(now - lastSeenAt) < LAST_SEEN_INTERVAL_MS)) return row
  const own = matching('runtimes', { owner_id: ownerId, runtime_id: runtimeId })
  await db.updateTable('runtimes').set({ last_seen_at: now }).where(own).execute()
  return { ...row, last_seen_at: now }
}
