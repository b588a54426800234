import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { Lru } from '../lib/lru.ts'
import { Stop, unlessStopped } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import { LAST_SEEN_INTERVAL_MS } from '../runtimes/rules.ts'
import type { DiskSpace } from '../store/disk-space.ts'
import { CommitUnknownError, isConnectionFault, isDataFault } from '../store/errors.ts'
import type { Pause } from '../store/retry.ts'
import type { StorageBudget } from '../usage/storage-budget.ts'
import type { BatchWriter } from './batch-writer.ts'
import {
  interruptedEnd,
  type NewRow,
  type Settlement,
  settlementWithinBudget,
  storedReason,
} from './settlement-rules.ts'

interface Unwritten {
  settlement: Settlement
  isAdmission: boolean
  attempt: Promise<void> | null
}

// Executions past this bound are failed by the sweep, once they are overdue.
const MAX_UNWRITTEN = 10_000
// Between two tries while the database is away. Each try itself waits for a restart of it.
const RETRY_MS = 3_000

interface SettlementDeps {
  clock: Clock
  limits: Pick<Limits, 'executionMs'>
  logger: Logger
  diskSpace: DiskSpace
  storage: StorageBudget
  writer: BatchWriter
  pause: Pause
}

/** Writes the ends of executions. Those that could not be written wait in a retry queue. */
export class Settlements {
  readonly #deps: SettlementDeps
  readonly #stopping = new Stop()
  readonly #queue = new Set<Unwritten>()
  readonly #lastSeen = new Lru<string, number>(10_000)
  #isFull = false
  /** Executions in the queue of which it is unknown whether they were admitted. */
  unknownAdmissions = 0

  constructor(deps: SettlementDeps) {
    this.#deps = deps
  }

  get unwritten(): number {
    return this.#queue.size
  }

  /**
   * Waits for the database until the execution's deadline, as a caller who gets a failure repeats the work. False: another node
   * ended the execution, or a failure is queued instead. A `CommitUnknownError`: the settlement is queued.
   */
  async settle(settlement: Settlement): Promise<boolean> {
    const { writer, clock, limits, pause } = this.#deps
    const endpointAnswered = settlement.endpointAnswered && this.#isNews(settlement)
    const until = settlement.usage.startedAt + limits.executionMs
    let unknown: CommitUnknownError | null = null
    for (;;) {
      try {
        return await writer.settle({ ...settlement, endpointAnswered }, unknown !== null)
      } catch (error) {
        if (error instanceof CommitUnknownError) unknown = error
        const isLate = this.#stopping.aborted || clock.now() >= until
        if (isLate || !isConnectionFault(error)) return this.#keep(settlement, unknown, error)
      }
      await unlessStopped(pause(RETRY_MS), this.#stopping)
    }
  }

  #keep(settlement: Settlement, unknown: CommitUnknownError | null, error: unknown): false {
    const { logger, diskSpace } = this.#deps
    const err = unknown ?? error
    logger.error({ err, executionId: settlement.row.execution_id }, 'an outcome could not be written')
    diskSpace.noteFault(err)
    this.#enqueue(unknown ? settlement : unrecorded(settlement), false)
    if (unknown) throw unknown
    return false
  }

  /** Fails an execution of which it is unknown whether it was admitted, once the database answers. */
  enqueueUnknownAdmission(row: NewRow): void {
    const { logger, storage, clock } = this.#deps
    logger.error({ executionId: row.execution_id }, 'it is unknown whether an execution was admitted')
    this.#enqueue(settlementWithinBudget(storage, row, interruptedEnd(row, clock.now())), true)
  }

  /** Tries the queue again. Resolves when tries that began earlier have ended, too. */
  async retryQueued(): Promise<void> {
    await Promise.all([...this.#queue].map((one) => (one.attempt ??= this.#retry(one))))
  }

  /** From now on no write waits longer than a second for the database. */
  stopWaiting(): void {
    this.#stopping.abort()
    this.#deps.writer.stopWaiting('all')
  }

  async drain(): Promise<void> {
    await this.retryQueued()
    await this.#deps.writer.drain()
  }

  #enqueue(settlement: Settlement, isAdmission: boolean): void {
    const wasFull = this.#isFull
    this.#isFull = this.#queue.size >= MAX_UNWRITTEN
    if (!this.#isFull) {
      this.#queue.add({ settlement, isAdmission, attempt: null })
      if (isAdmission) this.unknownAdmissions += 1
    } else if (!wasFull) {
      this.#deps.logger.warn({ kept: MAX_UNWRITTEN }, 'the retry queue of outcomes is full')
    }
  }

  async #retry(one: Unwritten): Promise<void> {
    const { writer, logger } = this.#deps
    try {
      await writer.settle(one.settlement, true)
    } catch (error) {
      one.attempt = null
      if (!isDataFault(error)) return
      // It would always be refused. The sweep fails what is still running in the store, once it is overdue.
      const executionId = one.settlement.row.execution_id
      logger.error({ err: error, executionId }, 'an outcome was dropped: the database refused its values')
    }
    this.#queue.delete(one)
    if (one.isAdmission) this.unknownAdmissions -= 1
  }

  // `last_seen_at` is stored at most once an interval: a busy runtime completes many calls.
  #isNews({ usage: { runtimeId }, row: { completed_at: completedAt } }: Settlement): boolean {
    const last = this.#lastSeen.get(runtimeId)
    if (last !== undefined && completedAt - last < LAST_SEEN_INTERVAL_MS) return false
    this.#lastSeen.set(runtimeId, completedAt)
    return true
  }
}

// The caller got a failure, so a failure is stored.
function unrecorded({ row, usage, ...rest }: Settlement): Settlement {
  const failed = { status: 'failed', ...storedReason('error'), error: UNRECORDED } as const
  return { ...rest, row: { ...row, ...failed }, usage: { ...usage, isCompleted: false } }
}

/** The error that a caller gets when an outcome could not be written, or was not this node's to write. */
export const UNRECORDED = 'The outcome of the execution could not be recorded.'
