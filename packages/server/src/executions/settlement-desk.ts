import { createBatcher } from '../database/batch.ts'
import type { Deps } from '../deps.ts'
import { Lru } from '../lru.ts'
import { measuredRun } from '../metrics/measured-run.ts'
import { SIGN_OF_LIFE_INTERVAL_MS } from '../runtimes/rules.ts'
import { type Settlement, settleBatch, wasSettled } from './settlement-store.ts'

/** Where executions end. */
export interface SettlementDesk {
  /**
   * Writes an outcome, durably, before anybody is told. False when it could not be written, or when the execution is no
   * longer this node's to end; what could not be written is kept, as failed, to be tried again.
   */
  settle(settlement: Settlement): Promise<boolean>
  /** Tries again what could not be written; called with every renewal of the lease. */
  retryFailed(): Promise<void>
  /** How many wait for their batch. */
  readonly depth: number
  drain(): Promise<void>
}

// What finds no place here is failed by the sweep, once it is overdue.
const MAX_WAITING = 10_000

export function createSettlementDesk(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics'> & { nodeId: string },
): SettlementDesk {
  const batcher = createBatcher<Settlement, boolean>({
    run: measuredRun(deps, 'settlements', (settlements: Settlement[]) =>
      settleBatch(deps.db, settlements, deps.nodeId),
    ),
  })
  const isNews = createNewsFilter()
  let waiting: Settlement[] = []
  const keep = (settlement: Settlement) => {
    if (waiting.length < MAX_WAITING) waiting.push(settlement)
  }
  const retryFailed = async () => {
    const retried = waiting
    waiting = []
    await Promise.all(retried.map((settlement) => batcher.submit(settlement).catch(() => keep(settlement))))
  }
  return {
    async settle(settlement) {
      try {
        return await batcher.submit({ ...settlement, heardFrom: settlement.heardFrom && isNews(settlement) })
      } catch (error) {
        // A connection that is lost at the very commit leaves open whether it took place.
        if (await wasSettled(deps.db, settlement).catch(() => false)) return true
        deps.logger.error({ err: error, executionId: settlement.executionId }, 'an outcome could not be written')
        keep(unrecorded(settlement))
        return false
      }
    },
    retryFailed,
    get depth() {
      return batcher.depth
    },
    async drain() {
      await retryFailed()
      await batcher.drain()
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

/** What a caller is told when an outcome could not be written, or was not this node's to write. */
export const UNRECORDED = 'The outcome of the execution could not be recorded.'
