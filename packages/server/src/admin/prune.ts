import { statSync } from 'node:fs'
import type { Tier } from '@svc/contract'
import type { Store } from '../config.ts'
import { databaseFile } from '../database/open-store.ts'
import { reclaimSpace } from '../database/reclaim-space.ts'
import { inTransaction } from '../database/transaction.ts'
import { listDeployed, lockOwner } from '../deployments/store.ts'
import { countSurplus, deleteSurplus } from '../deployments/surplus-store.ts'
import type { Deps } from '../deps.ts'
import { deleteEnded } from '../executions/retention.ts'
import { countEnded, eachOwner } from '../executions/retention-store.ts'
import { listWaiting } from '../usage/journal-store.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import type { Usage } from '../usage/rollup-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import type { AdminResult } from './admin-result.ts'

export interface PruneOptions {
  /** Executions that started before this go, too, whatever their plan keeps; null: what is past its retention alone. */
  before: number | null
  /** How many deployments of each runtime are kept beside those that executions name. */
  keepDeployments: number
  isDryRun: boolean
}

type PruneDeps = Pick<Deps, 'db' | 'clock'>

/** Deletes what is old and gives its space back, beside a running server or without one. */
export async function prune(deps: PruneDeps, store: Store, options: PruneOptions): Promise<AdminResult> {
  const { isDryRun } = options
  // What has ended lately names its deployment nowhere else.
  const named = await listWaiting(deps.db)
  const pruned = { executions: 0, deployments: 0, bytes: 0 }
  for await (const owner of eachOwner(deps.db)) {
    const ofOwner = await pruneOwner(deps, owner, { ...options, named })
    pruned.executions += ofOwner.executions
    pruned.deployments += ofOwner.deployments
    pruned.bytes += ofOwner.bytes
  }
  if (isDryRun) return { ok: true, text: JSON.stringify({ ...pruned, dryRun: true }) }
  return { ok: true, text: JSON.stringify({ ...pruned, ...(await giveBack(store)) }) }
}

async function pruneOwner(
  deps: PruneDeps,
  { ownerId, tier }: { ownerId: string; tier: Tier },
  { before, keepDeployments: keep, isDryRun, named }: PruneOptions & { named: readonly Usage[] },
): Promise<{ executions: number; deployments: number; bytes: number }> {
  const { db } = deps
  const startedBefore = Math.max(before ?? 0, retainedSince(tier, deps.clock.now()))
  const ended = isDryRun
    ? await countEnded(db, ownerId, { startedBefore })
    : await deleteEnded(deps, { ownerId, startedBefore })
  const pruned = { executions: ended.executions, deployments: 0, bytes: ended.bytes }
  for (const runtimeId of await listDeployed(db, ownerId)) {
    const except = named.flatMap(({ runtimeId: id, deploymentVersion }) =>
      id === runtimeId && deploymentVersion !== null ? [deploymentVersion] : [],
    )
    const keeping = { ownerId, runtimeId, keep, usedBefore: startedBefore, except: [...new Set(except)] }
    const { count, bytes } = isDryRun ? await countSurplus(db, keeping) : await deleteOld(db, keeping)
    pruned.deployments += count
    pruned.bytes += bytes
  }
  return pruned
}

function deleteOld(db: Deps['db'], keeping: Parameters<typeof deleteSurplus>[1]) {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, keeping.ownerId)
    const deleted = await deleteSurplus(tx, keeping)
    await addStoredBytes(tx, [{ ownerId: keeping.ownerId, bytes: -deleted.bytes }])
    return deleted
  })
}

async function giveBack(store: Store): Promise<{ returnedBytes: number | null; next?: string }> {
  if (store.engine === 'postgres') return { returnedBytes: null, next: REUSED_BY_POSTGRES }
  const file = databaseFile(store.folder)
  const size = () => statSync(file).size
  const before = size()
  const isReturned = await reclaimSpace(file, store.folder)
  return { returnedBytes: Math.max(0, before - size()), ...(!isReturned && { next: REUSED_BY_SQLITE }) }
}

const REUSED_BY_POSTGRES =
  'PostgreSQL reuses the space. To give it back to the file system, run “vacuum full” on the tables.'
const REUSED_BY_SQLITE =
  'The space is reused. This database was made by an earlier release: to give space back to the file system, run prune once while no server runs, with as much room on the disk as the database has.'
