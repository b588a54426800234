import { isDataFault } from '../database/errors.ts'
import { createMutex, type Mutex } from '../database/mutex.ts'
import type { Deps } from '../deps.ts'
import { type Coalescer, createCoalescer } from '../lib/coalesce.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { createCallNames } from '../usage/call-names.ts'
import { type FoldRange, foldEntries, newestEntry, parkOldest } from '../usage/journal-store.ts'
import type { NameIn } from '../usage/rollup-rules.ts'

/**
 * How often each server adds what has ended to the counters: seldom, so that a counter is written once for many. Nobody
 * reads them without having folded first, and this bounds how long that takes.
 */
export const FOLD_MS = 5_000

// Some thousand executions of a busy server. Fewer would write each counter more often.
const ENTRIES_PER_FOLD = 64

/** Where the journal of usage is added to the counters, bit by bit. Any number of replicas may fold at once. */
export interface UsageFolding {
  /** Folds what nobody else is at. Where a fold is under way, joins that one. */
  fold(): Promise<void>
  /** Resolves when everything that had ended before the call is in the counters. */
  catchUp(): Promise<void>
}

type FoldDeps = Pick<Deps, 'db' | 'logger'>
type Context = FoldDeps & { nameIn: NameIn }

export function createUsageFolding(deps: FoldDeps): UsageFolding {
  const catchingUp: Coalescer<void> = createCoalescer()
  const turns = createMutex()
  const nameIn = createCallNames()
  let underWay: Promise<void> | null = null
  return {
    fold() {
      underWay ??= foldAll({ ...deps, turns, nameIn }).finally(() => {
        underWay = null
      })
      return underWay
    },
    catchUp: () => catchingUp.read('all', () => foldAll({ ...deps, turns, nameIn })),
  }
}

/** What is added meanwhile is left for the next time: this ends, however busy the service is. */
async function foldAll({ turns, ...deps }: Context & { turns: Mutex }): Promise<void> {
  const upTo = await newestEntry(deps.db)
  if (upTo === null) return
  let isDone = false
  while (!isDone) {
    const endTurn = await turns.acquire()
    try {
      isDone = (await foldSome(deps, { upTo, limit: ENTRIES_PER_FOLD })) === 0
    } finally {
      endTurn()
    }
  }
}

async function foldSome(deps: Context, range: FoldRange): Promise<number> {
  try {
    const { taken, parked } = await foldEntries(deps.db, { ...range, pause: nextTurn, nameIn: deps.nameIn })
    for (const id of parked) warn(deps, id, new Error('the entry cannot be read'))
    return taken
  } catch (error) {
    if (isDataFault(error)) return foldFewer(deps, range, error)
    throw error
  }
}

// One bad entry must not keep the others out of the counters for ever: it is found by halving.
async function foldFewer(deps: Context, range: FoldRange, error: unknown): Promise<number> {
  if (range.limit > 1) return foldSome(deps, { ...range, limit: Math.ceil(range.limit / 2) })
  const id = await parkOldest(deps.db, range)
  if (id === null) return 0
  warn(deps, id, error)
  return 1
}

function warn({ logger }: FoldDeps, entryId: number, err: unknown): void {
  logger.error({ err, entryId }, 'an entry of the journal of usage could not be counted and was set aside')
}
