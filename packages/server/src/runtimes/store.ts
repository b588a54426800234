import type { Tier } from '@svc/contract'
import { type Insertable, type Kysely, type Selectable, sql, type UpdateObject } from 'kysely'
import { findKeyPrefixes, type KeyPrefixes, type NewCredential } from '../credentials/store.ts'
import type { PageStart } from '../store/page.ts'
import type { Schema } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { SIGN_OF_LIFE_INTERVAL_MS } from './rules.ts'

export type NewRuntime = Insertable<Schema['runtimes']>

/** A runtime with its owner's tier, and of its serving deployment the time, in epoch ms, and the number of capabilities. */
export interface RuntimeView extends Selectable<Schema['runtimes']> {
  tier: Tier
  deployed_at: number | null
  capability_count: number | null
}

/**
 * Inserts a runtime with its keys; false where its id is taken. `requireSlot` throws where the plan allows no further one;
 * the owner's row is locked, so concurrent insertions cannot exceed the plan.
 */
export async function insertRuntime(
  db: Kysely<Schema>,
  runtime: NewRuntime,
  credentials: readonly NewCredential[],
  requireSlot: (tier: Tier, runtimeCount: number) => void,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { tier } = await lockOwner(tx, runtime.owner_id)
    const { count } = await tx
      .selectFrom('runtimes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '=', runtime.owner_id)
      .executeTakeFirstOrThrow()
    const inserted = await tx
      .insertInto('runtimes')
      .values(runtime)
      .onConflict((conflict) => conflict.doNothing())
      .returning('runtime_id')
      .executeTakeFirst()
    // Before the plan's limit: registering an own runtime again is never refused by it.
    if (!inserted) return false
    requireSlot(tier, Number(count))
    await tx
      .insertInto('credentials')
      .values([...credentials])
      .execute()
    return true
  })
}

/** Locks an account, always before any of its runtimes, and reads what limits depend on. */
export function lockOwner(tx: Tx, ownerId: string): Promise<{ tier: Tier; stored_bytes: number }> {
  return tx
    .selectFrom('owners')
    .select(['tier', 'stored_bytes'])
    .where('owner_id', '=', ownerId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/**
 * Changes a runtime and increments its revision, so that every replica reads it again; its row stays locked until the end of
 * a transaction. False where this owner has no such runtime.
 */
export async function updateRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  { runtimeId, now }: { runtimeId: string; now: number },
  changes: UpdateObject<Schema, 'runtimes'> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runtimes')
    .set((eb) => ({ ...changes, revision: eb('revision', '+', 1), updated_at: now }))
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Updates a runtime and returns it; null where this owner has no such runtime. One transaction: no read fails after it. */
export async function changeRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  at: { runtimeId: string; now: number },
  changes: UpdateObject<Schema, 'runtimes'>,
): Promise<{ runtime: RuntimeView; keyPrefixes: KeyPrefixes } | null> {
  return inTransaction(db, async (tx) => {
    await updateRuntime(tx, ownerId, at, changes)
    const runtime = await findRuntime(tx, ownerId, at.runtimeId)
    return runtime && { runtime, keyPrefixes: await findKeyPrefixes(tx, ownerId, at.runtimeId) }
  })
}

/**
 * Replaces the signing secret. The current one becomes the previous one until `previousEndsAt`, or is deleted where that is
 * null. False where this owner has no such runtime.
 */
export async function replaceSecret(
  db: Kysely<Schema>,
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

/** One runtime of this owner with the owner's tier, or null. */
export async function findRuntime(db: Kysely<Schema>, ownerId: string, runtimeId: string): Promise<RuntimeView | null> {
  const runtime = await findServedRuntime(db, runtimeId)
  return runtime?.owner_id === ownerId ? runtime : null
}

/** One runtime of any owner, or null: for callers that a credential or a public address led to it. */
export async function findServedRuntime(db: Kysely<Schema>, runtimeId: string): Promise<RuntimeView | null> {
  return (await runtimeViews(db).where('runtimes.runtime_id', '=', runtimeId).executeTakeFirst()) ?? null
}

/** A runtime's revision, null where there is none. One row either way, so that both take as long. */
export async function findRevision(db: Kysely<Schema>, runtimeId: string): Promise<number | null> {
  const { revision } = await db
    .selectFrom('runtimes')
    .select((runtimes) => runtimes.fn.max<number | null>('revision').as('revision'))
    .where('runtime_id', '=', runtimeId)
    .executeTakeFirstOrThrow()
  return revision
}

/** Runtimes of this owner, newest first, `limit` of them after the cursor. */
export async function listRuntimes(
  db: Kysely<Schema>,
  ownerId: string,
  { limit, after, projectId }: { limit: number; after: PageStart | null; projectId?: string | undefined },
): Promise<RuntimeView[]> {
  let query = runtimeViews(db)
    .where('runtimes.owner_id', '=', ownerId)
    .orderBy('runtimes.created_at', 'desc')
    .orderBy('runtimes.runtime_id', 'desc')
    .limit(limit)
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('runtimes.created_at', 'runtimes.runtime_id'), '<', tuple(after.at, after.id)),
    )
  }
  return query.execute()
}

function runtimeViews(db: Kysely<Schema>) {
  return db
    .selectFrom('runtimes')
    .innerJoin('owners', 'owners.owner_id', 'runtimes.owner_id')
    .leftJoin('deployments', (join) =>
      join
        .onRef('deployments.owner_id', '=', 'runtimes.owner_id')
        .onRef('deployments.runtime_id', '=', 'runtimes.runtime_id')
        .onRef('deployments.version', '=', 'runtimes.serving_version'),
    )
    .selectAll('runtimes')
    .select(['owners.tier', 'deployed_at', 'capability_count'])
}

/**
 * Stores that a runtime was heard from at `now`, at most every ten seconds, and returns it; null where there is none. The
 * revision stays: callers depend on nothing that changed.
 */
export async function touchRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeId: string,
  now: number,
): Promise<RuntimeView | null> {
  const row = await findRuntime(db, ownerId, runtimeId)
  const lastSeenAt = row?.last_seen_at ?? null
  if (row === null || (lastSeenAt !== null && Math.abs(now - lastSeenAt) < SIGN_OF_LIFE_INTERVAL_MS)) return row
  await db
    .updateTable('runtimes')
    .set({ last_seen_at: now })
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .execute()
  return { ...row, last_seen_at: now }
}
