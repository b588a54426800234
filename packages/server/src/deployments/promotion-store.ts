import { updateRuntime } from '../runtimes/store.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import { findCalled, recordCalled } from './called-store.ts'
import { deleteCandidate, setCandidate } from './candidate-store.ts'
import { readEarlier } from './earlier-store.ts'

/** What a runtime serves. */
export interface Served {
  serving_version: number | null
  previous_version: number | null
  endpoint: string | null
  project_id: string
}

/** A deployment that is to serve; `traffic`, in percent, makes it the candidate. */
interface Serving {
  ownerId: string
  runtimeId: string
  version: number
  traffic: number | null
  /** Where the deployment is called; undefined keeps the runtime's. */
  endpoint: string | undefined
  now: number
}

/** Locks a runtime's row, after its account's. Null where this owner has no such runtime. */
export async function lockServed(tx: Tx, ownerId: string, runtimeId: string): Promise<Served | null> {
  const row = await tx
    .selectFrom('runtimes')
    .select(['serving_version', 'previous_version', 'endpoint', 'project_id'])
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** Lets a deployment serve. The endpoint of a candidate stays its own until it is promoted. */
export async function serve(tx: Tx, served: Served, serving: Serving): Promise<void> {
  const { ownerId, runtimeId, version, traffic, endpoint, now } = serving
  if (traffic !== null) {
    await updateRuntime(tx, ownerId, { runtimeId, now })
    const stable = { ownerId, runtimeId, projectId: served.project_id, version: served.serving_version }
    await setCandidate(tx, { ownerId, runtimeId, version, traffic, earlier: await readEarlier(tx, stable, now), now })
    return
  }
  const changed = { serving_version: version, previous_version: served.serving_version, endpoint }
  await updateRuntime(tx, ownerId, { runtimeId, now }, served.serving_version === version ? {} : changed)
  await deleteCandidate(tx, runtimeId)
}

/** Tells that a deployment became the stable one. To be called last: see {@link addEvents}. */
export async function tellPromoted(tx: Tx, newId: () => string, served: Served, serving: Serving): Promise<void> {
  const { ownerId, runtimeId, version, traffic, now } = serving
  if (traffic !== null || served.serving_version === version) return
  const data = { version, replacedVersion: served.serving_version }
  await addEvents(tx, newId, [{ ownerId, runtimeId, type: 'deployment.promoted', data, at: now }])
}

/** Which deployment is promoted: one by its number, the candidate, or the one that was stable before. */
export type Promoted = number | 'candidate' | 'previous'

/**
 * Promotes a deployment, or sets its share as the candidate. Null where there is no such one. `requireShare` throws where it
 * cannot have the share; `isFrozen` is of the candidate, where it was not named by its number.
 */
export function promoteDeployment(
  db: Db,
  { version: promoted, ...asked }: Omit<Serving, 'version' | 'endpoint'> & { version: Promoted },
  options: {
    requireShare: (served: Served, version: number, isFrozen: boolean) => void
    /** Takes one from the account's bucket of promotions, or throws where it is empty. */
    takePromotion: (fullAt: number) => number
    newEventId: () => string
  },
): Promise<number | null> {
  const { ownerId, runtimeId } = asked
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, ownerId)
    const served = await lockServed(tx, ownerId, runtimeId)
    const named = served && (await numberOf(tx, served, { runtimeId, promoted }))
    if (!named) return null
    const { version, isFrozen } = named
    const called = await findCalled(tx, { ownerId, runtimeId, version })
    if (!called) return null
    options.requireShare(served, version, isFrozen)
    await takeLocked(tx, { ownerId, bucket: 'promotions', take: options.takePromotion })
    const serving = { ...asked, version, endpoint: called.endpoint ?? undefined }
    await serve(tx, served, serving)
    if (!called.isRecorded) await recordCalled(tx, serving, called.endpoint ?? served.endpoint)
    await tellPromoted(tx, options.newEventId, served, serving)
    return version
  })
}

/** Takes one from a bucket of an account whose row is locked. */
export async function takeLocked(
  tx: Tx,
  { ownerId, bucket, take }: { ownerId: string; bucket: string; take: (fullAt: number) => number },
): Promise<void> {
  const full_at = take(await readFullAt(tx, ownerId, bucket))
  await tx
    .insertInto('allowances')
    .values({ owner_id: ownerId, bucket, full_at })
    .onConflict((conflict) => conflict.columns(['owner_id', 'bucket']).doUpdateSet({ full_at }))
    .execute()
}

export async function readFullAt(db: Db, ownerId: string, bucket: string): Promise<number> {
  const row = await db
    .selectFrom('allowances')
    .select('full_at')
    .where((eb) => eb.and({ owner_id: ownerId, bucket }))
    .executeTakeFirst()
  return row?.full_at ?? 0
}

/** The deployment that a rollback without a number names: an older one, so that a second rollback does not undo the first. */
export function rollbackOf({
  serving_version,
  previous_version,
}: Pick<Served, 'serving_version' | 'previous_version'>): number | null {
  return previous_version !== null && previous_version < (serving_version ?? 0) ? previous_version : null
}

async function numberOf(
  tx: Tx,
  served: Served,
  { runtimeId, promoted }: { runtimeId: string; promoted: Promoted },
): Promise<{ version: number; isFrozen: boolean } | null> {
  if (promoted !== 'candidate') {
    const version = promoted === 'previous' ? rollbackOf(served) : promoted
    return version === null ? null : { version, isFrozen: false }
  }
  const row = await tx
    .selectFrom('candidates')
    .select(['version', 'frozen_at'])
    .where('runtime_id', '=', runtimeId)
    .executeTakeFirst()
  return row ? { version: row.version, isFrozen: row.frozen_at !== null } : null
}

/** The number of a runtime's newest deployment, 0 before the first one. */
export async function newestVersion(tx: Tx, ownerId: string, runtimeId: string): Promise<number> {
  const row = await tx
    .selectFrom('deployments')
    .select((deployments) => deployments.fn.max<number | null>('version').as('newest'))
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .executeTakeFirst()
  return row?.newest ?? 0
}
