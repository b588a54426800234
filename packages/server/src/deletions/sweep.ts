import { startOf } from '../usage/rollup-rules.ts'
import type { SweepDeps } from './deps.ts'
import { isSettled, isUncounted } from './rules.ts'
import * as store from './sweep-store.ts'

/**
 * Deletes what is left of deleted runtimes and accounts, some rows in each transaction. Any number of replicas may do so at
 * once, and a sweep that was cut short goes on with the next one: what is left is what the tables hold.
 */
export function createDeletionSweep(deps: SweepDeps) {
  const stopping = new AbortController()
  let sweeping: Promise<void> | null = null
  return {
    /** Sweeps once, or joins a sweep in progress. Rejects with its first fault, after the others were swept. */
    run(): Promise<void> {
      sweeping ??= sweepAll(deps, stopping.signal).finally(() => {
        sweeping = null
      })
      return sweeping
    },
    /** Ends a sweep in progress after its present transaction, and begins no more. */
    async stop(): Promise<void> {
      stopping.abort()
      await sweeping?.catch(() => undefined)
    },
  }
}

async function sweepAll(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const faults: unknown[] = []
  const attempt = (work: Promise<void>) => work.catch((error: unknown) => void faults.push(error))
  for await (const retired of store.eachRetired(deps.db)) {
    if (signal.aborted) return
    await attempt(sweepRuntime(deps, retired, signal))
  }
  for await (const deleted of store.eachDeletedAccount(deps.db)) {
    if (signal.aborted) return
    await attempt(sweepAccount(deps, deleted, signal))
  }
  if (faults.length > 0) throw faults[0]
}

async function sweepRuntime(deps: SweepDeps, retired: store.Retired, signal: AbortSignal): Promise<void> {
  const { db, clock, logger } = deps
  const { ownerId, runtimeId, deletedAt } = retired
  const now = clock.now()
  const isOver = isSettled(deletedAt, now) && isUncounted(deletedAt, now)
  const isLast = isOver && !(await store.hasRunning(db, ownerId, runtimeId))
  // What has ended is counted before: its counters are deleted with the others.
  if (isLast) await deps.aggregation.catchUp()
  const isDone = await runSteps(store.runtimeSteps(db, retired, { hour: startOf('hour', now), isLast }), signal)
  if (!isLast || !isDone) return
  await store.forgetRuntime(db, retired)
  logger.info({ ownerId, runtimeId }, 'nothing is left of a deleted runtime')
}

async function sweepAccount(deps: SweepDeps, deleted: store.DeletedAccount, signal: AbortSignal): Promise<void> {
  const { db, clock, logger } = deps
  const { ownerId, deletedAt } = deleted
  const now = clock.now()
  const isLast = isSettled(deletedAt, now) && !(await store.hasRunning(db, ownerId))
  if (isLast) await deps.aggregation.catchUp()
  const isDone = await runSteps(store.accountSteps(db, ownerId, now), signal)
  if (!isLast || !isDone) return
  await store.forgetAccount(db, ownerId)
  logger.info({ ownerId }, 'nothing is left of a deleted account')
}

/** Repeats each step until it finds nothing; false where it was stopped before. */
async function runSteps(steps: readonly store.Step[], signal: AbortSignal): Promise<boolean> {
  for (const step of steps) {
    while ((await step()) > 0) if (signal.aborted) return false
    if (signal.aborted) return false
  }
  return true
}
