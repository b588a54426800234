import { createBatcher } from '../database/batch.ts'
import { CommitUnknownError, isDataFault } from '../database/errors.ts'
import { outlast, type Pause, type Try } from '../database/outlast.ts'
import type { Deps } from '../deps.ts'
import { Lru } from '../lru.ts'
import { measuredRun } from '../metrics/measured-run.ts'
import { SIGN_OF_LIFE_INTERVAL_MS } from '../runtimes/rules.ts'
import { Stop, type StopSignal } from '../stop-signal.ts'
import { KeptList } from './kept-list.ts'
import { type Settlement, settleBatch, wasSettled } from './settlement-store.ts'

/** Where executions end. */
export interface SettlementDesk {
  /**
   * Writes an outcome, durably, before anybody is told. False when it could not be written, or when the execution is no
   * longer this node's to end; what could not be written is kept, as failed, to be tried again. Rejects with a
   * `CommitUnknownError` where it may have been written: then nothing can be told, and the outcome itself is kept.
   */
  settle(settlement: Settlement): Promise<boolean>
  /**
   * Tries again what could not be written, but for what never can be; called with every renewal of the lease. Resolves
   * when such tries that began earlier have ended, too.
   */
  retryFailed(): Promise<void>
  /** How many wait for their batch. */
  readonly depth: number
  /** How many could not be written, and are to be tried again. */
  readonly unwritten: number
  /** From now on a database that is away is waited for a second at most: whoever waits is to be told while there is time. */
  hurry(): void
  drain(): Promise<void>
}

// What finds no place here is failed by the sweep, once it is overdue.
const MAX_WAITING = 10_000

type DeskDeps = Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'room'> & { nodeId: string; pause: Pause }

export function createSettlementDesk(deps: DeskDeps): SettlementDesk {
  const late = new Stop()
  const batcher = createBatcher<Settlement, boolean>({
    run: measuredRun(deps, 'settlements', (settlements: Settlement[]) => settleSurely(deps, settlements, late)),
  })
  const isNews = createNewsFilter()
  const waiting = new KeptList<Settlement>(MAX_WAITING, () => {
    deps.logger.warn({ kept: MAX_WAITING }, 'more outcomes wait for the database than can be kept')
  })
  let retrying = 0
  const retries = new Set<Promise<void>>()
  const retryAll = async () => {
    const retried = waiting.takeAll()
    retrying += retried.length
    const retry = async (settlement: Settlement) => {
      try {
        await batcher.submit(settlement)
      } catch (error) {
        if (!isDataFault(error)) return waiting.add(settlement)
        // It would be refused for ever. What still runs in the store is failed by the sweep, once it is overdue.
        const { executionId } = settlement
        deps.logger.error({ err: error, executionId }, 'an outcome that the database refuses was given up')
      } finally {
        retrying -= 1
      }
    }
    await Promise.all(retried.map(retry))
  }
  const retryFailed = async () => {
    const retry = retryAll().finally(() => retries.delete(retry))
    retries.add(retry)
    await Promise.all(retries)
  }
  return {
    async settle(settlement) {
      try {
        return await batcher.submit({ ...settlement, heardFrom: settlement.heardFrom && isNews(settlement) })
      } catch (error) {
        deps.logger.error({ err: error, executionId: settlement.executionId }, 'an outcome could not be written')
        deps.room.noteFault(error)
        const isUnknown = error instanceof CommitUnknownError
        waiting.add(isUnknown ? settlement : unrecorded(settlement))
        if (isUnknown) throw error
        return false
      }
    },
    retryFailed,
    get depth() {
      return batcher.depth
    },
    get unwritten() {
      return waiting.items.length + retrying
    },
    hurry: () => late.abort(),
    async drain() {
      await retryFailed()
      await batcher.drain()
    },
  }
}

/**
 * Settles a batch, over again while connections fail. Whoever settled it the time before, unheard, was this node too: the
 * rows tell. Throws a `CommitUnknownError` once one commit was not answered and none after it was.
 */
async function settleSurely(
  { db, nodeId, pause }: DeskDeps,
  settlements: readonly Settlement[],
  late: StopSignal,
): Promise<boolean[]> {
  let doubt: CommitUnknownError | null = null
  const settleOnce = async (attempt: Try) => {
    try {
      const settled = await settleBatch(db, settlements, { nodeId, ...attempt })
      return doubt === null
        ? settled
        : await Promise.all(settlements.map((each, index) => settled[index] || wasSettled(db, each)))
    } catch (error) {
      if (error instanceof CommitUnknownError) doubt = error
      throw error
    }
  }
  try {
    return await outlast(pause, settleOnce, late)
  } catch (error) {
    throw doubt ?? error
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

/** What a caller is told when an outcome could not be written, or was not this node's to write. */
export const UNRECORDED = 'The outcome of the execution could not be recorded.'
