import { CommitUnknownError, isDataFault } from '../database/errors.ts'
import type { Deps } from '../deps.ts'
import { Lru } from '../lib/lru.ts'
import { SIGN_OF_LIFE_INTERVAL_MS } from '../runtimes/rules.ts'
import type { AdmissionRequest } from './batch-rules.ts'
import type { BatchWriter } from './batch-writer.ts'
import { neverRun, type Settlement } from './settlement-rules.ts'

/** Where executions end. */
export interface Settlements {
  /**
   * Writes an outcome, durably, before anybody is told. False when it could not be written, or when the execution is no
   * longer this node's to end; what could not be written is kept, as failed, to be tried again. Rejects with a
   * `CommitUnknownError` where it may have been written: then nothing can be told, and the outcome itself is kept.
   */
  settle(settlement: Settlement): Promise<boolean>
  /** Fails an execution of which it is unknown whether it was let in, once the database answers. */
  failUnknown(request: AdmissionRequest): void
  /**
   * Tries again what could not be written, but for what never can be; called with every renewal of the lease. Resolves
   * when such tries that began earlier have ended, too.
   */
  retryFailed(): Promise<void>
  /** How many wait for their batch. */
  readonly depth: number
  /** How many could not be written, and are to be tried again. */
  readonly unwritten: number
  /** Of these, executions of which it is unknown whether they were let in. */
  readonly unknownAdmissions: number
  /** From now on a database that is away is waited for a second at most: whoever waits is to be told while there is time. */
  hurry(): void
  drain(): Promise<void>
}

interface Kept {
  settlement: Settlement
  isAdmission: boolean
}

// An outcome without a place here is failed by the sweep, once it is overdue.
const MAX_KEPT = 10_000

type SettlementDeps = Pick<Deps, 'clock' | 'logger' | 'room'> & { writer: BatchWriter }

export function createSettlements(deps: SettlementDeps): Settlements {
  const { writer, logger } = deps
  const isNews = createNewsFilter()
  const queue = createRetryQueue(deps)
  const drain = async () => {
    await queue.retry()
    await writer.drain()
  }
  return {
    async settle(settlement) {
      try {
        return await writer.settle({ ...settlement, heardFrom: settlement.heardFrom && isNews(settlement) })
      } catch (error) {
        logger.error({ err: error, executionId: settlement.executionId }, 'an outcome could not be written')
        deps.room.noteFault(error)
        const isUnknown = error instanceof CommitUnknownError
        queue.keep({ settlement: isUnknown ? settlement : unrecorded(settlement), isAdmission: false })
        if (isUnknown) throw error
        return false
      }
    },
    failUnknown(request) {
      const { executionId } = request.execution
      logger.error({ executionId }, 'it is unknown whether an execution was let in')
      queue.keep({ settlement: neverRun(request, deps.clock.now()), isAdmission: true })
    },
    retryFailed: () => queue.retry(),
    get depth() {
      return writer.depth('settlements')
    },
    get unwritten() {
      return queue.size
    },
    get unknownAdmissions() {
      return queue.unknownAdmissions
    },
    hurry: () => writer.hurry('all'),
    drain,
  }
}

/** Outcomes that wait for a database that is away, up to a bound. */
function createRetryQueue({ writer, logger }: SettlementDeps) {
  const kept = new Set<Kept>()
  const trying = new Map<Kept, Promise<void>>()
  let isFull = false
  let unknownAdmissions = 0
  const tryAgain = async (one: Kept) => {
    try {
      await writer.settle(one.settlement, true)
    } catch (error) {
      if (!isDataFault(error)) return
      // It would be refused for ever. What still runs in the store is failed by the sweep, once it is overdue.
      const { executionId } = one.settlement
      logger.error({ err: error, executionId }, 'an outcome that the database refuses was given up')
    }
    kept.delete(one)
    if (one.isAdmission) unknownAdmissions -= 1
  }
  return {
    keep(one: Kept) {
      const hasRoom = kept.size < MAX_KEPT
      if (hasRoom) kept.add(one)
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
      for (const one of kept) {
        if (!trying.has(one))
          trying.set(
            one,
            tryAgain(one).finally(() => trying.delete(one)),
          )
      }
      await Promise.all(trying.values())
    },
  }
}

// A runtime in constant use is heard from constantly; that is worth a write now and then.
function createNewsFilter(): (settlement: Settlement) => boolean {
  const notedAt = new Lru<string, number>(10_000)
  return ({ runtimeId, completedAt }) => {
    const last = notedAt.get(runtimeId)
    if (last !== undefined && completedAt - last < SIGN_OF_LIFE_INTERVAL_MS) return false
    notedAt.set(runtimeId, completedAt)
    return true
  }
}

// The caller was told that it failed, so that is what must stand.
function unrecorded(settlement: Settlement): Settlement {
  return { ...settlement, status: 'failed', finishReason: 'error', error: UNRECORDED }
}

/** The error that a caller gets when an outcome could not be written, or was not this node's to write. */
export const UNRECORDED = 'The outcome of the execution could not be recorded.'
