import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { countShares } from '../deployments/candidate-store.ts'
import type { Clock } from '../lib/clock.ts'
import { createCoalescer } from '../lib/coalesce.ts'
import type { NewId } from '../lib/ids.ts'
import { isDataFault } from '../store/errors.ts'
import type { Database } from '../store/open.ts'
import type { Tx } from '../store/transaction.ts'
import { createCallNames } from '../usage/call-names.ts'
import { aggregateEntries, discardOldest, type EntryRange, newestEntry } from '../usage/journal-store.ts'
import type { NameIn, RollUp, UnknownCall } from '../usage/rollup-rules.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import type { AccountEvent } from '../webhooks/rules.ts'

/**
 * The interval at which each server moves the usage journal into the counters. A longer one writes each counter less often, a
 * shorter one makes reads of the counters faster: they aggregate the rest of the journal first.
 */
export const AGGREGATION_MS = 5_000

// About as many as a busy server writes in one interval. A lower number would write each counter more often.
const ENTRIES_PER_TRANSACTION = 1_024

interface Context {
  db: Database['db']
  logger: Logger
  clock: Clock
  newId: NewId
  nameIn: NameIn
}

export type UsageAggregation = ReturnType<typeof createUsageAggregation>

/**
 * Moves the usage journal into the counters. Any number of replicas may do so at once. The coalescer keeps one pass at a time
 * in this process, which SQLite needs: it reuses the ids of deleted entries.
 */
export function createUsageAggregation(deps: Omit<Context, 'nameIn'>) {
  const passes = createCoalescer<void>()
  const nameIn = createCallNames()
  return {
    /** Resolves when everything that had ended before the call is in the counters. */
    catchUp: () => passes.read('all', () => aggregate({ ...deps, nameIn })),
  }
}

// Entries that are added meanwhile are left for the next pass, so that this one ends on a busy server, too.
async function aggregate(context: Context): Promise<void> {
  const upTo = await newestEntry(context.db)
  if (upTo === null) return
  while ((await aggregateSome(context, { upTo, limit: ENTRIES_PER_TRANSACTION })) > 0);
}

async function aggregateSome(context: Context, range: EntryRange): Promise<number> {
  const { db, nameIn } = context
  try {
    const note = async (tx: Tx, { shares, unknownCalls }: RollUp) => {
      const now = context.clock.now()
      const frozen = await countShares(tx, shares, now)
      const unknown = unknownCalls.map((call) => unknownCallEvent(call, now))
      await addEvents(tx, () => context.newId('delivery'), [...frozen, ...unknown])
    }
    const { taken, unreadable } = await aggregateEntries(db, { ...range, pause: nextTurn, nameIn, note })
    for (const id of unreadable) warn(context, id, new Error('the entry cannot be read'))
    return taken
  } catch (error) {
    if (!isDataFault(error)) throw error
    // One entry that the database refuses must not block the others: halving the range finds it.
    if (range.limit > 1) return aggregateSome(context, { ...range, limit: Math.ceil(range.limit / 2) })
    const id = await discardOldest(db, range)
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
