import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { countedSince, retainedSince } from '../usage/retention-rules.ts'
import { GRAIN_MS } from '../usage/rollup-rules.ts'
import { type Deleted, deleteRollups, deleteSomeEnded, eachOwner, type OldestOfOwner } from './retention-store.ts'

/** How often rows past their retention are deleted. Until then lists and traces leave them out. */
export const RETENTION_SWEEP_MS = 5 * 60_000

const MAX_ROLLUP_DAYS = 7

interface SweepDeps {
  db: Database['db']
  clock: Clock
  logger: Logger
}

/** Deletes rows past the retention of their plan. Any number of replicas may sweep at once. */
export function createRetentionSweep(deps: SweepDeps) {
  const stopping = new AbortController()
  let sweeping: Promise<number> | null = null
  const sweep = async () => {
    const deleted = await sweepAll(deps, stopping.signal)
    if (deleted > 0) deps.logger.info({ deleted }, 'deleted executions that were past their retention')
    return deleted
  }
  return {
    /**
     * Sweeps every account, or joins a sweep in progress, and returns how many executions were deleted. Rejects with the
     * first fault of an account, after the others were swept.
     */
    run(): Promise<number> {
      sweeping ??= sweep().finally(() => {
        sweeping = null
      })
      return sweeping
    },
    /** Ends a sweep in progress after its present transaction, and begins no more. */
    async stop(): Promise<void> {
      stopping.abort()
      await sweeping?.catch(() => 0)
    },
  }
}

async function sweepAll(deps: SweepDeps, signal: AbortSignal): Promise<number> {
  const faults: unknown[] = []
  let deleted = 0
  for await (const owner of eachOwner(deps.db)) {
    if (signal.aborted) break
    try {
      deleted += await sweepOwner(deps, owner, signal)
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  return deleted
}

async function sweepOwner(
  deps: SweepDeps,
  { ownerId, tier, startedAt, countedAt }: OldestOfOwner,
  signal: AbortSignal,
): Promise<number> {
  const now = deps.clock.now()
  const before = countedSince(tier, now)
  if (countedAt < before - GRAIN_MS.day) {
    await deleteRollups(deps.db, ownerId, Math.min(before, countedAt + MAX_ROLLUP_DAYS * GRAIN_MS.day))
  }
  const startedBefore = retainedSince(tier, now)
  if (startedAt >= startedBefore) return 0
  return (await deleteEnded(deps, { ownerId, startedBefore, signal })).executions
}

export async function deleteEnded(
  { db }: Pick<SweepDeps, 'db'>,
  { ownerId, startedBefore, signal }: { ownerId: string; startedBefore: number; signal?: AbortSignal },
): Promise<Deleted> {
  const total = { executions: 0, bytes: 0 }
  while (!signal?.aborted) {
    const { executions, bytes } = await deleteSomeEnded(db, { ownerId, startedBefore })
    if (executions === 0) break
    total.executions += executions
    total.bytes += bytes
  }
  return total
}
