import { updateRuntime } from '../runtimes/store.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import { findCallEndpoint, recordCallEndpoint } from './call-endpoint-store.ts'
import { deleteCandidate, setCandidate } from './candidate-store.ts'
import { sampleEarlierExecutions } from './earlier-executions-store.ts'

/** What a runtime serves. */
export interface ServingState {
  serving_version: number | null
  previous_version: number | null
  endpoint: string | null
  project_id: string
}

/** A deployment that is to be the stable one, or, with `traffic` in percent, the candidate. */
interface Promotion {
  ownerId: string
  runtimeId: string
  version: number
  traffic: number | null
  /** Becomes the runtime's endpoint; undefined keeps the one it has. */
  endpoint: string | undefined
  now: number
}

/** Locks a runtime's row, after its account's. Null where this owner has no such runtime. */
export async function lockServingState(tx: Tx, ownerId: string, runtimeId: string): Promise<ServingState | null> {
  const row = await tx
    .selectFrom('runtimes')
    .select(['serving_version', 'previous_version', 'endpoint', 'project_id'])
    .where((eb) => eb.and({ owner_id: ownerId, runtime_id: runtimeId }))
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** Makes a deployment the stable one or the candidate. The endpoint of a candidate stays its own until it is promoted. */
export async function applyPromotion(tx: Tx, current: ServingState, promotion: Promotion): Promise<void> {
  const { ownerId, runtimeId, version, traffic, endpoint, now } = promotion
  if (traffic !== null) {
    await updateRuntime(tx, ownerId, { runtimeId, now })
    const stable = { ownerId, runtimeId, projectId: current.project_id, version: current.serving_version }
    await setCandidate(tx, {
      ownerId,
      runtimeId,
      version,
      traffic,
      earlier: await sampleEarlierExecutions(tx, stable, now),
      now,
    })
    return
  }
  const changed = { serving_version: version, previous_version: current.serving_version, endpoint }
  await updateRuntime(tx, ownerId, { runtimeId, now }, current.serving_version === version ? {} : changed)
  await deleteCandidate(tx, runtimeId)
}

/** Adds the event of a deployment that became the stable one. To be called last: see {@link addEvents}. */
export async function addPromotedEvent(
  tx: Tx,
  newId: () => string,
  current: ServingState,
  promotion: Promotion,
): Promise<void> {
  const { ownerId, runtimeId, version, traffic, now } = promotion
  if (traffic !== null || current.serving_version === version) return
  const data = { version, replacedVersion: current.serving_version }
  await addEvents(tx, newId, [{ ownerId, runtimeId, type: 'deployment.promoted', data, at: now }])
}

/** Which deployment is promoted: one by its number, the candidate, or the one that was stable before. */
export type PromotedVersion = number | 'candidate' | 'previous'

/**
 * Promotes a deployment, or sets its share as the candidate, and returns its number; null where there is none. `requireShare`
 * throws where it cannot have the share. Its `isFrozen` is true where `candidate` was asked for and is frozen.
 */
export function promoteDeployment(
  db: Db,
  { version: promoted, ...asked }: Omit<Promotion, 'version' | 'endpoint'> & { version: PromotedVersion },
  options: {
    requireShare: (current: ServingState, version: number, isFrozen: boolean) => void
    /** Takes one from the account's bucket of promotions, or throws where it is empty. */
    takePromotion: (fullAt: number) => number
    newEventId: () => string
  },
): Promise<number | null> {
  const { ownerId, runtimeId } = asked
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, ownerId)
    const current = await lockServingState(tx, ownerId, runtimeId)
    const found = current && (await versionOf(tx, current, { runtimeId, promoted }))
    if (!found) return null
    const { version, isFrozen } = found
    const called = await findCallEndpoint(tx, { ownerId, runtimeId, version })
    if (!called) return null
    options.requireShare(current, version, isFrozen)
    await takeFromLockedBucket(tx, { ownerId, bucket: 'promotions', take: options.takePromotion })
    const promotion = { ...asked, version, endpoint: called.endpoint ?? undefined }
    await applyPromotion(tx, current, promotion)
    if (!called.isRecorded) await recordCallEndpoint(tx, promotion, called.endpoint ?? current.endpoint)
    await addPromotedEvent(tx, options.newEventId, current, promotion)
    return version
  })
}

/** Takes one from a token bucket of an account whose row is locked. */
export async function takeFromLockedBucket(
  tx: Tx,
  { ownerId, bucket, take }: { ownerId: string; bucket: string; take: (fullAt: number) => number },
): Promise<void> {
  const full_at = take(await readBucket(tx, ownerId, bucket))
  await tx
    .insertInto('allowances')
    .values({ owner_id: ownerId, bucket, full_at })
    .onConflict((conflict) => conflict.columns(['owner_id', 'bucket']).doUpdateSet({ full_at }))
    .execute()
}

/** The token bucket of an account: the time at which it is full again, 0 where it was never used. */
export async function readBucket(db: Db, ownerId: string, bucket: string): Promise<number> {
  const row = await db
    .selectFrom('allowances')
    .select('full_at')
    .where((eb) => eb.and({ owner_id: ownerId, bucket }))
    .executeTakeFirst()
  return row?.full_at ?? 0
}

/** The deployment that `previous` names: an older one, so that a second rollback does not undo the first. Null: there is none. */
export function rollbackOf({
  serving_version,
  previous_version,
}: Pick<ServingState, 'serving_version' | 'previous_version'>): number | null {
  return previous_version !== null && previous_version < (serving_version ?? 0) ? previous_version : null
}

async function versionOf(
  tx: Tx,
  current: ServingState,
  { runtimeId, promoted }: { runtimeId: string; promoted: PromotedVersion },
): Promise<{ version: number; isFrozen: boolean } | null> {
  if (promoted !== 'candidate') {
    const version = promoted === 'previous' ? rollbackOf(current) : promoted
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
