import type { Deps } from '../deps.ts'
import { countedSince, retainedSince } from '../usage/retention-rules.ts'
import { GRAIN_MS } from '../usage/rollup-rules.ts'
import { type Deleted, deleteRollups, deleteSomeEnded, eachOwner, type OldestOfOwner } from './retention-store.ts'

/** How often what is past its plan's retention is deleted. Nobody is shown it meanwhile: lists and traces leave it out. */
export const RETENTION_SWEEP_MS = 5 * 60_000

const MOST_DAYS = 7

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'logger'>

export type RetentionSweep = ReturnType<typeof createRetentionSweep>

/** Deletes, bit by bit, what is past its plan's retention. Any number of replicas may sweep at once. */
export function createRetentionSweep(deps: SweepDeps) {
  const stopping = new AbortController()
  let underWay: Promise<number> | null = null
  const sweep = async () => {
    const deleted = await sweepAll(deps, stopping.signal)
    if (deleted > 0) deps.logger.info({ deleted }, 'deleted executions that were past their retention')
    return deleted
  }
  return {
    /**
     * Sweeps every account and returns how many executions were deleted; where a sweep is under way, joins that one.
     * Rejects, once it has been to all of them, with the first fault of one.
     */
    run(): Promise<number> {
      underWay ??= sweep().finally(() => {
        underWay = null
      })
      return underWay
    },
    /** Ends the sweep under way after its present transaction, and begins no more. */
    async stop(): Promise<void> {
      stopping.abort()
      // Its fault is told where it was begun.
      await underWay?.catch(() => 0)
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
      // A fault of one account must not keep those of all accounts after it.
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
    // Those of a long time, which a release before this one left, bit by bit.
    await deleteRollups(deps.db, ownerId, { before: Math.min(before, countedAt + MOST_DAYS * GRAIN_MS.day) })
  }
  const startedBefore = retainedSince(tier, now)
  if (startedAt >= startedBefore) return 0
  return (await deleteEnded(deps, { ownerId, startedBefore, signal })).executions
}

/** Deletes an account's executions that started before, bit by bit, until none is left or it is told to stop. */
export async function deleteEnded(
  deps: Pick<Deps, 'db'>,
  { ownerId, startedBefore, signal }: { ownerId: string; startedBefore: number; signal?: AbortSignal },
): Promise<Deleted> {
  const deleted = { executions: 0, bytes: 0 }
  while (!signal?.aborted) {
    const { executions, bytes } = await deleteSomeEnded(deps.db, ownerId, { startedBefore })
    if (executions === 0) break
    deleted.executions += executions
    deleted.bytes += bytes
  }
  return deleted
}
