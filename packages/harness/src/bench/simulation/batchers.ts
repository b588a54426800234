import type { Locks, Resource } from './resources.ts'
import type { SimulatedDatabase, World } from './world.ts'

/** Where a call is served, and whose it is. */
export interface Place {
  replica: number
  database: number
  owner: number
}

/** Admission and settlement: of each replica one for each database, with one transaction under way at a time. */
export interface Batchers {
  admit(place: Place, done: () => void): void
  settle(place: Place, done: () => void): void
  totals(): { transactions: number; items: number }
}

const MAX_BATCH = 512

interface Item {
  owner: number
  done(): void
}

interface Batcher {
  waiting: Item[]
  isBusy: boolean
}

export function createBatchers(world: World): Batchers {
  const batchers = new Map<number, Batcher>()
  const totals = { transactions: 0, items: 0 }
  const submit = (kind: 'admit' | 'settle', { replica, database, owner }: Place, done: () => void) => {
    const [thread, store] = [world.replicas[replica], world.databases[database]]
    if (thread === undefined || store === undefined) throw new Error('a call was led to a place that is not there')
    const name = (replica * world.databases.length + database) * 2 + (kind === 'admit' ? 0 : 1)
    const batcher = batchers.get(name) ?? { waiting: [], isBusy: false }
    batchers.set(name, batcher)
    batcher.waiting.push({ owner, done })
    if (batcher.isBusy) return
    batcher.isBusy = true
    const locks = kind === 'admit' ? store.admissionLocks : store.settlementLocks
    const held = kind === 'admit' || world.costs.settlingLocks ? locks : null
    const next = () => {
      const items = batcher.waiting.splice(0, MAX_BATCH)
      batcher.isBusy = items.length > 0
      if (items.length === 0) return
      totals.transactions += 1
      totals.items += items.length
      transact(world, { thread, store, locks: held }, items, () => {
        for (const item of items) item.done()
        next()
      })
    }
    // What comes in the same moment goes together.
    world.events.after(0, next)
  }
  return {
    admit: (place, done) => submit('admit', place, done),
    settle: (place, done) => submit('settle', place, done),
    totals: () => ({ ...totals }),
  }
}

/** Which statement of a transaction locks its owners' rows: after the one that begins it. */
const LOCKING = 2

/** A transaction's statements one after the other, each with a trip, and the commit's way to the disk. */
function transact(
  world: World,
  { thread, store, locks }: { thread: Resource; store: SimulatedDatabase; locks: Locks | null },
  items: readonly Item[],
  done: () => void,
): void {
  const { events, costs } = world
  const owners = [...new Set(items.map(({ owner }) => owner))].sort((a, b) => a - b)
  const statements = Math.max(LOCKING, Math.round(costs.statementsPerTransaction))
  // A call's part in the database is shared by its admission and its settlement.
  const databaseMs = (costs.databasePerTransaction + (items.length * costs.databasePerCall) / 2) / statements
  const commit = () =>
    events.after(costs.sync, () => {
      locks?.release(owners)
      done()
    })
  const statement = (number: number): void => {
    const next = number === statements ? commit : () => statement(number + 1)
    const then = number === LOCKING && locks !== null ? () => locks.take(owners, next) : next
    thread.use(costs.replicaPerTransaction / statements, () => {
      store.busyMs += databaseMs
      store.processors.use(databaseMs, () => events.after(costs.roundTrip, then))
    })
  }
  statement(1)
}
