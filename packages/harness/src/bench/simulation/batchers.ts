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
  const batchers = new Map<string, Batcher>()
  const totals = { transactions: 0, items: 0 }
  const submit = (kind: 'admit' | 'settle', { replica, database, owner }: Place, done: () => void) => {
    const [thread, store] = [world.replicas[replica], world.databases[database]]
    if (thread === undefined || store === undefined) throw new Error('a call was led to a place that is not there')
    const name = `${kind} ${replica} ${database}`
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

/** Of a transaction's processor time and trips, so much lies before its rows are locked. */
const BEFORE_LOCKS = 0.25

function transact(
  world: World,
  { thread, store, locks }: { thread: Resource; store: SimulatedDatabase; locks: Locks | null },
  items: readonly Item[],
  done: () => void,
): void {
  const { events, costs } = world
  const owners = [...new Set(items.map(({ owner }) => owner))].sort((a, b) => a - b)
  // A call's part in the database is shared by its admission and its settlement.
  const databaseMs = costs.databasePerTransaction + (items.length * costs.databasePerCall) / 2
  const step = (share: number, then: () => void) =>
    thread.use(costs.replicaPerTransaction * share, () => {
      store.busyMs += databaseMs * share
      store.processors.use(databaseMs * share, () =>
        events.after(costs.roundTrip * costs.roundTripsPerTransaction * share, then),
      )
    })
  const commit = () =>
    events.after(costs.sync, () => {
      locks?.release(owners)
      done()
    })
  const rest = () => step((1 - BEFORE_LOCKS) / 2, () => step((1 - BEFORE_LOCKS) / 2, commit))
  step(BEFORE_LOCKS, () => (locks === null ? rest() : locks.take(owners, rest)))
}
