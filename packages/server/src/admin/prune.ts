import { statSync } from 'node:fs'
import type { AccountDeps } from '../accounts/deps.ts'
import type { Store } from '../config.ts'
import { listDeployed } from '../deployments/store.ts'
import { countSurplus, deleteSurplus } from '../deployments/surplus-store.ts'
import { deleteEnded } from '../executions/retention.ts'
import { countEnded, eachOwner } from '../executions/retention-store.ts'
import type { Limits } from '../limits.ts'
import { databaseFile } from '../store/open-store.ts'
import { reclaimSpace } from '../store/sqlite/reclaim-space.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { listWaiting } from '../usage/journal-store.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import type { AdminCommand } from './parse-command.ts'

/** Without `before` the executions past the retention of their plan are deleted. */
type PruneOptions = Omit<Extract<AdminCommand, { name: 'prune' }>, 'name'> & { limits: Pick<Limits, 'deploymentsKept'> }

type PruneDeps = Pick<AccountDeps, 'db' | 'clock'>

/** Deletes old executions and deployments and returns their space, beside a running server or without one. */
export async function prune(deps: PruneDeps, store: Store, options: PruneOptions): Promise<object> {
  const { db, clock } = deps
  const { before = 0, 'keep-deployments': keep = options.limits.deploymentsKept, 'dry-run': isDryRun } = options
  // Executions that ended just now name their deployment in the journal only.
  const waiting = await listWaiting(db)
  const pruned = { executions: 0, deployments: 0, bytes: 0 }
  for await (const { ownerId, tier } of eachOwner(db)) {
    const startedBefore = Math.max(before, retainedSince(tier, clock.now()))
    const ended = isDryRun
      ? await countEnded(db, ownerId, startedBefore)
      : await deleteEnded(deps, { ownerId, startedBefore })
    pruned.executions += ended.executions
    pruned.bytes += ended.bytes
    for (const runtimeId of await listDeployed(db, ownerId)) {
      const named = waiting.filter((usage) => usage.runtimeId === runtimeId)
      const except = [...new Set(named.flatMap(({ deploymentVersion: version }) => version ?? []))]
      const surplus = { ownerId, runtimeId, keep, usedBefore: startedBefore, except }
      const { count, bytes } = isDryRun ? await countSurplus(db, surplus) : await deleteOld(db, surplus)
      pruned.deployments += count
      pruned.bytes += bytes
    }
  }
  return { ...pruned, ...(isDryRun ? { dryRun: true } : await returnSpace(store)) }
}

function deleteOld(db: PruneDeps['db'], surplus: Parameters<typeof deleteSurplus>[1]) {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, surplus.ownerId)
    const deleted = await deleteSurplus(tx, surplus)
    await addStoredBytes(tx, [{ ownerId: surplus.ownerId, bytes: -deleted.bytes }])
    return deleted
  })
}

async function returnSpace(store: Store): Promise<{ returnedBytes: number | null; next?: string }> {
  if (store.engine === 'postgres') return { returnedBytes: null, next: REUSED_BY_POSTGRES }
  const file = databaseFile(store.folder)
  const before = statSync(file).size
  await reclaimSpace(file)
  return { returnedBytes: Math.max(0, before - statSync(file).size) }
}

const REUSED_BY_POSTGRES =
  'PostgreSQL reuses the space. To give it back to the file system, run “vacuum full” on the tables.'
