import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { countShares } from '../deployments/candidate-store.ts'
import type { Clock } from '../lib/clock.ts'
import { createCoalescer } from '../lib/coalesce.ts'
import type { NewId } from '../lib/ids.ts'
import type { Database } from '../store/database.ts'
import { isDataFault } from '../store/errors.ts'
import type { Tx } from '../store/transaction.ts'
import { createCounterNames } from '../usage/counter-names.ts'
import { aggregateEntries, type EntryRange, newestEntry, parkOldest } from '../usage/journal-store.ts'
import type { CounterName, UnknownCall, UsageTotals } from '../usage/rollup-rules.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import type { AccountEvent } from '../webhooks/rules.ts'

/**
 * The interval at which each server moves the usage journal into the counters. A longer one writes each counter less often; a
 * shorter one leaves less of the journal to reads, which call `catchUp` first.
 */
export const AGGREGATION_MS = 5_000

// About as many as a busy server writes in one interval. A lower number would write each counter more often.
const ENTRIES_PER_TRANSACTION = 1_024

interface Context {
  db: Database['db']
  logger: Logger
  clock: Clock
  newId: NewId
  counterName: CounterName
}

export type UsageAggregation = ReturnType<typeof createUsageAggregation>

/**
 * Moves the usage journal into the counters (`execution_rollups`, `call_rollups`). Any number of replicas may do so at once.
 * The coalescer keeps one pass at a time in this process, which SQLite needs: it reuses the ids of deleted entries.
 */
export function createUsageAggregation(deps: Omit<Context, 'counterName'>) {
  const passes = createCoalescer<void>()
  const counterName = createCounterNames()
  return {
    /** Resolves when everything that had ended before the call is in the counters. */
    catchUp: () => passes.read('all', () => aggregate({ ...deps, counterName })),
  }
}

// Entries that are added meanwhile are left for the next pass, so that this one ends on a busy server, too.
async function aggregate(context: Context): Promise<void> {
  const upTo = await newestEntry(context.db)
  if (upTo === null) return
  while ((await aggregateSome(context, { upTo, limit: ENTRIES_PER_TRANSACTION })) > 0);
}

async function aggregateSome(context: Context, range: EntryRange): Promise<number> {
  const { db, counterName } = context
  try {
    const afterCounting = async (tx: Tx, { shares, unknownCalls }: UsageTotals) => {
      const now = context.clock.now()
      const frozen = await countShares(tx, shares, now)
      const unknown = unknownCalls.map((call) => unknownCallEvent(call, now))
      await addEvents(tx, () => context.newId('delivery'), [...frozen, ...unknown])
    }
    const { taken, unreadable } = await aggregateEntries(db, { ...range, pause: nextTurn, counterName, afterCounting })
    for (const id of unreadable) warn(context, id, new Error('the entry cannot be read'))
    return taken
  } catch (error) {
    if (!isDataFault(error)) throw error
    // One entry that the database refuses must not block the others: halving the range finds it.
    if (range.limit > 1) return aggregateSome(context, { ...range, limit: Math.ceil(range.limit / 2) })
    const id = await parkOldest(db, range)
    if (id === null) return 0
    warn(context, id, error)
    return 1
  }
}

function unknownCallEvent({ usage, capability, callId }: UnknownCall, at: number): AccountEvent {
  const { ownerId, runtimeId, executionId = null } = usage
  return { ownerId, runtimeId, type: 'call.unknown', data: { executionId, callId, capability }, at }
}

function warn({ logger }: Context, entryId: number, err: unknown): void {
  logger.error({ err, entryId }, 'an entry of the journal of usage could not be counted and was set aside')
}
