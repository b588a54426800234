import type { DeletionDeps } from './deps.ts'
import { findGone } from './store.ts'

/** Stops what this replica runs for runtimes and accounts that were deleted, through whichever replica. */
export async function stopDeleted({ db, running }: Pick<DeletionDeps, 'db' | 'running'>): Promise<void> {
  const places = [...running].flatMap(({ place }) => place ?? [])
  if (places.length === 0) return
  const runtimeIds = [...new Set(places.map(({ runtimeId }) => runtimeId))]
  const ownerIds = [...new Set(places.map(({ ownerId }) => ownerId))]
  const gone = await findGone(db, { runtimeIds, ownerIds })
  if (gone.size === 0) return
  running.stopWhere(({ ownerId, runtimeId }) => gone.has(runtimeId) || gone.has(ownerId), 'deleted')
}
