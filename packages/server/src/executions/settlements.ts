import { CommitUnknownError, isConnectionFault, isDataFault } from '../database/errors.ts'
import type { Pause } from '../database/outlast.ts'
import type { Deps } from '../deps.ts'
import { Lru } from '../lib/lru.ts'
import { Stop, unlessStopped } from '../lib/stop-signal.ts'
import { SIGN_OF_LIFE_INTERVAL_MS } from '../runtimes/rules.ts'
import type { NewRow, Settlement } from './batch-rules.ts'
import type { BatchWriter } from './batch-writer.ts'
import { withinBudget } from './budget-rules.ts'
import { interruptedEnd } from './settlement-rules.ts'

export type Settlements = ReturnType<typeof createSettlements>

interface Kept {
  settlement: Settlement
  isAdmission: boolean
  trying: Promise<void> | null
}

// An outcome without a place here is failed by the sweep, once it is overdue.
const MAX_KEPT = 10_000

/** Between two tries while the database is away, each of which outlasts a restart of it. */
const RETRY_MS = 3_000

type SettlementDeps = Pick<Deps, 'clock' | 'limits' | 'logger' | 'room' | 'storage'> & {
  writer: BatchWriter
  pause: Pause
}

/** Where executions end. */
export function createSettlements(deps: SettlementDeps) {
  const { writer, logger } = deps
  const isNews = createNewsFilter()
  const queue = createRetryQueue(deps)
  const late = new Stop()
  return {
    /**
     * Waits for a database that is away until the execution's time is up. False where the outcome could not be written,
     * and is kept, as failed, to be tried again, or where the execution is no longer this node's to end. Rejects with a
     * `CommitUnknownError` where it may have been written: nothing can be told then, and the outcome itself is kept.
     */
    async settle(settlement: Settlement): Promise<boolean> {
      try {
        return await settleInTime(deps, { ...settlement, heardFrom: settlement.heardFrom && isNews(settlement) }, late)
      } catch (error) {
        logger.error({ err: error, executionId: settlement.row.execution_id }, 'an outcome could not be written')
        deps.room.noteFault(error)
        const isUnknown = error instanceof CommitUnknownError
        queue.keep({ settlement: isUnknown ? settlement : unrecorded(settlement), isAdmission: false })
        if (isUnknown) throw error
        return false
      }
    },
    /** Fails an execution of which it is unknown whether it was let in, once the database answers. */
    failUnknown(row: NewRow) {
      logger.error({ executionId: row.execution_id }, 'it is unknown whether an execution was let in')
      const settlement = withinBudget(deps.storage, row, interruptedEnd(row, deps.clock.now()))
      queue.keep({ settlement, isAdmission: true })
    },
    /**
     * Tries again what could not be written, but for what never can be; called with every renewal of the lease. Resolves
     * when such tries that began earlier have ended, too.
     */
    retryFailed: () => queue.retry(),
    /** How many could not be written, and are to be tried again. */
    get unwritten() {
      return queue.size
    },
    /** Of these, executions of which it is unknown whether they were let in. */
    get unknownAdmissions() {
      return queue.unknownAdmissions
    },
    /** From now on a database that is away is waited for a second at most: whoever waits is to be told while there is time. */
    hurry() {
      late.abort()
      writer.hurry('all')
    },
    async drain() {
      await queue.retry()
      await writer.drain()
    },
  }
}

// A caller who is told of a failure repeats work that was done. So the outcome waits for as long as the execution may take.
async function settleInTime(
  { writer, clock, limits, pause }: SettlementDeps,
  settlement: Settlement,
  late: Stop,
): Promise<boolean> {
  const until = settlement.usage.startedAt + limits.executionMs
  let doubt: CommitUnknownError | null = null
  for (;;) {
    try {
      return await writer.settle(settlement, doubt !== null)
    } catch (error) {
      if (error instanceof CommitUnknownError) doubt = error
      if (late.aborted || clock.now() >= until || !isConnectionFault(error)) throw doubt ?? error
    }
    await unlessStopped(pause(RETRY_MS), late)
  }
}

/** Outcomes that wait for a database that is away, up to a bound. */
function createRetryQueue({ writer, logger }: SettlementDeps) {
  const kept = new Set<Kept>()
  let isFull = false
  let unknownAdmissions = 0
  const drop = (one: Kept) => {
    kept.delete(one)
    if (one.isAdmission) unknownAdmissions -= 1
  }
  const tryAgain = async (one: Kept) => {
    try {
      await writer.settle(one.settlement, true)
      drop(one)
    } catch (error) {
      one.trying = null
      if (!isDataFault(error)) return
      // It would be refused for ever. What still runs in the store is failed by the sweep, once it is overdue.
      const executionId = one.settlement.row.execution_id
      logger.error({ err: error, executionId }, 'an outcome that the database refuses was given up')
      drop(one)
    }
  }
  return {
    keep(one: Omit<Kept, 'trying'>) {
      const hasRoom = kept.size < MAX_KEPT
      if (hasRoom) kept.add({ ...one, trying: null })
      else if (!isFull) logger.warn({ kept: MAX_KEPT }, 'more outcomes wait for the database than can be kept')
      if (hasRoom && one.isAdmission) unknownAdmissions += 1
      isFull = !hasRoom
    },
    get size() {
      return kept.size
    },
    get unknownAdmissions() {
      return unknownAdmissions
    },
    async retry() {
      await Promise.all([...kept].map((one) => (one.trying ??= tryAgain(one))))
    },
  }
}

// A runtime in constant use is heard from constantly; that is worth a write now and then.
function createNewsFilter(): (settlement: Settlement) => boolean {
  const notedAt = new Lru<string, number>(10_000)
  return ({ usage: { runtimeId }, row: { completed_at: completedAt } }) => {
    const last = notedAt.get(runtimeId)
    if (last !== undefined && completedAt - last < SIGN_OF_LIFE_INTERVAL_MS) return false
    notedAt.set(runtimeId, completedAt)
    return true
  }
}

// The caller was told that it failed, so that is what must stand.
function unrecorded(settlement: Settlement): Settlement {
  const row = { ...settlement.row, status: 'failed' as const, finish_reason: 'error' as const, error: UNRECORDED }
  return { ...settlement, row, usage: { ...settlement.usage, isCompleted: false } }
}

/** The error that a caller gets when an outcome could not be written, or was not this node's to write. */
export const UNRECORDED = 'The outcome of the execution could not be recorded.'
