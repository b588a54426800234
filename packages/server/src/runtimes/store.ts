import type { Tier } from '@svc/contract'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { findKeyPrefixes, type KeyPrefixes, type NewCredential } from '../credentials/store.ts'
import type { PageStart } from '../database/page.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'
import { SIGN_OF_LIFE_INTERVAL_MS } from './rules.ts'

export type NewRuntime = Insertable<Schema['runtimes']>
export type RuntimeRow = Selectable<Schema['runtimes']>

export interface RuntimeView extends RuntimeRow {
  tier: Tier
}

/** Whether a runtime id is free, this owner's, or another's. */
export async function whoseRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeId: string,
): Promise<'nobody' | 'own' | 'foreign'> {
  const row = await db.selectFrom('runtimes').select('owner_id').where('runtime_id', '=', runtimeId).executeTakeFirst()
  if (!row) return 'nobody'
  return row.owner_id === ownerId ? 'own' : 'foreign'
}

export type Creation = { outcome: 'created' } | { outcome: 'taken' } | { outcome: 'refused'; problem: string }

/**
 * Makes a runtime with its keys, unless `ceilingProblem` objects to the number there is.
 * The owner's row is locked, so any number at once cannot pass the ceiling. `taken`: the id appeared meanwhile.
 */
export async function insertRuntime(
  db: Kysely<Schema>,
  runtime: NewRuntime,
  credentials: readonly NewCredential[],
  ceilingProblem: (tier: Tier, runtimeCount: number) => string | null,
): Promise<Creation> {
  return inTransaction(db, async (tx) => {
    const owner = await tx
      .selectFrom('owners')
      .select('tier')
      .where('owner_id', '=', runtime.owner_id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    // Before the ceiling: to register one's own runtime again never counts, however closely it follows the first time.
    const existing = await tx
      .selectFrom('runtimes')
      .select('runtime_id')
      .where('runtime_id', '=', runtime.runtime_id)
      .executeTakeFirst()
    if (existing) return { outcome: 'taken' }
    const { count } = await tx
      .selectFrom('runtimes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '=', runtime.owner_id)
      .executeTakeFirstOrThrow()
    const problem = ceilingProblem(owner.tier, Number(count))
    if (problem) return { outcome: 'refused', problem }
    const inserted = await tx
      .insertInto('runtimes')
      .values(runtime)
      .onConflict((conflict) => conflict.doNothing())
      .returning('runtime_id')
      .executeTakeFirst()
    if (!inserted) return { outcome: 'taken' }
    await tx
      .insertInto('credentials')
      .values([...credentials])
      .execute()
    return { outcome: 'created' }
  })
}

export interface RuntimeChanges {
  name?: string | undefined
  version?: string | undefined
  projectId?: string | undefined
  endpoint?: string | undefined
  allowedOrigins?: readonly string[] | undefined
}

/** Changes what is given and moves the revision on, so that every replica reads the runtime again. */
export async function updateRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  input: { runtimeId: string; changes: RuntimeChanges; updatedAt: number },
): Promise<void> {
  const { changes } = input
  await db
    .updateTable('runtimes')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      updated_at: input.updatedAt,
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.version !== undefined && { version: changes.version }),
      ...(changes.projectId !== undefined && { project_id: changes.projectId }),
      ...(changes.endpoint !== undefined && { endpoint: changes.endpoint }),
      ...(changes.allowedOrigins !== undefined && { allowed_origins: JSON.stringify(changes.allowedOrigins) }),
    }))
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', input.runtimeId)
    .execute()
}

/**
 * The same, and returns what has come of it; null when the runtime is not this owner's. Read in the one transaction: after
 * it nothing is left to do that could fail.
 */
export async function changeRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  input: { runtimeId: string; changes: RuntimeChanges; updatedAt: number },
): Promise<{ runtime: RuntimeView; keyPrefixes: KeyPrefixes } | null> {
  return inTransaction(db, async (tx) => {
    await updateRuntime(tx, ownerId, input)
    const runtime = await findRuntime(tx, ownerId, input.runtimeId)
    return runtime && { runtime, keyPrefixes: await findKeyPrefixes(tx, ownerId, input.runtimeId) }
  })
}

/**
 * Moves a runtime's revision on, so that every replica reads it again, and locks its row for the rest of a transaction.
 * False when the runtime is not this owner's.
 */
export async function moveRevision(
  db: Kysely<Schema>,
  ownerId: string,
  { runtimeId, now }: { runtimeId: string; now: number },
): Promise<boolean> {
  const moved = await db
    .updateTable('runtimes')
    .set((eb) => ({ revision: eb('revision', '+', 1), updated_at: now }))
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .returning('runtime_id')
    .executeTakeFirst()
  return moved !== undefined
}

/**
 * Puts a signing secret in the place of the current one, which becomes the previous one until `previousEndsAt`, or is
 * gone where that is null. False when the runtime is not this owner's.
 */
export async function replaceSecret(
  db: Kysely<Schema>,
  ownerId: string,
  next: { runtimeId: string; sealed: string; previousEndsAt: number | null; now: number },
): Promise<boolean> {
  // One statement, in which every right-hand side is the row as it was: two at once cannot lose one another's secret.
  const replaced = await db
    .updateTable('runtimes')
    .set((eb) => ({
      secret_sealed: next.sealed,
      previous_secret_sealed: next.previousEndsAt === null ? null : eb.ref('secret_sealed'),
      previous_secret_expires_at: next.previousEndsAt,
      revision: eb('revision', '+', 1),
      updated_at: next.now,
    }))
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', next.runtimeId)
    .returning('runtime_id')
    .executeTakeFirst()
  return replaced !== undefined
}

/** One runtime of this owner with the owner's tier, or null. */
export async function findRuntime(db: Kysely<Schema>, ownerId: string, runtimeId: string): Promise<RuntimeView | null> {
  const row = await runtimeViews(db)
    .where('runtimes.owner_id', '=', ownerId)
    .where('runtimes.runtime_id', '=', runtimeId)
    .executeTakeFirst()
  return row ?? null
}

/** One runtime whoever owns it, or null: for callers whose credential, or the public, named it. */
export async function findServedRuntime(db: Kysely<Schema>, runtimeId: string): Promise<RuntimeView | null> {
  const row = await runtimeViews(db).where('runtimes.runtime_id', '=', runtimeId).executeTakeFirst()
  return row ?? null
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
  page: { limit: number; after: PageStart | null; projectId: string | undefined },
): Promise<RuntimeRow[]> {
  let query = db
    .selectFrom('runtimes')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('runtime_id', 'desc')
    .limit(page.limit)
  if (page.projectId !== undefined) query = query.where('project_id', '=', page.projectId)
  const { after } = page
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'runtime_id'), '<', tuple(after.at, after.id)),
    )
  }
  return query.execute()
}

/**
 * Notes that a runtime was heard from, where that was not noted in the last ten seconds. Returns the time that is noted, in
 * epoch ms. The revision stays: nothing that callers depend on has changed.
 */
export async function touchRuntime(
  db: Kysely<Schema>,
  ownerId: string,
  runtimeId: string,
  now: number,
): Promise<number> {
  const row = await db
    .selectFrom('runtimes')
    .select('last_seen_at')
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .executeTakeFirst()
  const noted = row?.last_seen_at ?? null
  if (noted !== null && Math.abs(now - noted) < SIGN_OF_LIFE_INTERVAL_MS) return noted
  await db
    .updateTable('runtimes')
    .set({ last_seen_at: now })
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .execute()
  return now
}

function runtimeViews(db: Kysely<Schema>) {
  return db
    .selectFrom('runtimes')
    .innerJoin('owners', 'owners.owner_id', 'runtimes.owner_id')
    .selectAll('runtimes')
    .select('owners.tier')
}
