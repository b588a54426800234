import { updateRuntime } from '../runtimes/store.ts'
import { firstRow, matching } from '../store/rows.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import { findCallEndpoint, recordCallEndpoint } from './call-endpoint-store.ts'
import { deleteCandidate, setCandidate } from './candidate-store.ts'
import { sampleEarlierExecutions } from './earlier-executions-store.ts'

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
export function lockServingState(tx: Tx, owner_id: string, runtime_id: string): Promise<ServingState | null> {
  const own = tx.selectFrom('runtimes').where(matching('runtimes', { owner_id, runtime_id }))
  return firstRow(own.select(['serving_version', 'previous_version', 'endpoint', 'project_id']).forUpdate())
}

/** Makes a deployment the stable one or the candidate. The endpoint of a candidate stays its own until it is promoted. */
export async function applyPromotion(tx: Tx, current: ServingState, promotion: Promotion): Promise<void> {
  const { ownerId, runtimeId, version, traffic, endpoint, now } = promotion
  if (traffic !== null) {
    await updateRuntime(tx, ownerId, { runtimeId, now })
    const stable = { ownerId, runtimeId, projectId: current.project_id, version: current.serving_version }
    const earlier = await sampleEarlierExecutions(tx, stable, now)
    await setCandidate(tx, { ownerId, runtimeId, version, traffic, earlier, now })
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

/** Takes one from a token bucket: from when it was full to when it is full again. Throws where it is empty. */
export type Take = (fullAt: number) => number

interface PromotionOptions {
  requireShare: (current: ServingState, version: number, isFrozen: boolean) => void
  takePromotion: Take
  newEventId: () => string
}

/**
 * Promotes a deployment, or sets its share as the candidate, and returns its number; null where there is none. `requireShare`
 * throws where it cannot have the share. Its `isFrozen` is true where `candidate` was asked for and is frozen.
 */
export function promoteDeployment(
  db: Db,
  { version: promoted, ...asked }: Omit<Promotion, 'version' | 'endpoint'> & { version: PromotedVersion },
  options: PromotionOptions,
): Promise<number | null> {
  const { ownerId, runtimeId } = asked
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, ownerId)
    const current = await lockServingState(tx, ownerId, runtimeId)
    const found = current && (await versionOf(tx, current, runtimeId, promoted))
    if (!found) return null
    const { version, isFrozen } = found
    const called = await findCallEndpoint(tx, { ownerId, runtimeId, version })
    if (!called) return null
    options.requireShare(current, version, isFrozen)
    await takeFromLockedBucket(tx, ownerId, 'promotions', options.takePromotion)
    const promotion = { ...asked, version, endpoint: called.endpoint ?? undefined }
    await applyPromotion(tx, current, promotion)
    if (!called.isRecorded) await recordCallEndpoint(tx, promotion, called.endpoint ?? current.endpoint)
    await addPromotedEvent(tx, options.newEventId, current, promotion)
    return version
  })
}

/** Takes one from a token bucket of an account whose row is locked. */
export async function takeFromLockedBucket(tx: Tx, ownerId: string, bucket: string, take: Take): Promise<void> {
  const full_at = take(await readBucket(tx, ownerId, bucket))
  await tx
    .insertInto('allowances')
    .values({ owner_id: ownerId, bucket, full_at })
    .onConflict((conflict) => conflict.columns(['owner_id', 'bucket']).doUpdateSet({ full_at }))
    .execute()
}

/** The token bucket of an account: the time at which it is full again, 0 where it was never used. */
export async function readBucket(db: Db, owner_id: string, bucket: string): Promise<number> {
  const own = matching('allowances', { owner_id, bucket })
  return (await firstRow(db.selectFrom('allowances').select('full_at').where(own)))?.full_at ?? 0
}

/** The deployment that `previous` names: an older one, so that a second rollback does not undo the first. Null: there is none. */
export function rollbackOf(runtime: Pick<ServingState, 'serving_version' | 'previous_version'>): number | null {
  const { serving_version: serving, previous_version: previous } = runtime
  return previous !== null && previous < (serving ?? 0) ? previous : null
}

async function versionOf(tx: Tx, current: ServingState, runtimeId: string, promoted: PromotedVersion) {
  if (promoted !== 'candidate') {
    const version = promoted === 'previous' ? rollbackOf(current) : promoted
    return version === null ? null : { version, isFrozen: false }
  }
  const candidate = tx.selectFrom('candidates').select(['version', 'frozen_at']).where('runtime_id', '=', runtimeId)
  const row = await firstRow(candidate)
  return row && { version: row.version, isFrozen: row.frozen_at !== null }
}

/** The number of a runtime's newest deployment, 0 before the first one. */
export async function newestVersion(tx: Tx, owner_id: string, runtime_id: string): Promise<number> {
  const own = tx.selectFrom('deployments').where(matching('deployments', { owner_id, runtime_id }))
  const row = await firstRow(own.select(({ fn }) => fn.max<number | null>('version').as('newest')))
  return row?.newest ?? 0
}
