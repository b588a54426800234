import type { Random } from '../../support/random.ts'
import { quantile } from '../../support/statistics.ts'
import { type Batchers, createBatchers, type Place } from './batchers.ts'
import type { Demand, Layout, Plan, Quantiles, SimulationResult } from './model.ts'
import { createWorld, type World } from './world.ts'
import { createOwnerDraw } from './zipf.ts'

/** What is counted of calls, from the moment at which counting begins. */
interface Tally {
  isCounting: boolean
  arrived: number
  answered: number
  admissionsMs: number[]
  latenciesMs: number[]
}

/** Plays calls through replicas and databases. The first fifth of the time is not counted. */
export function simulate(random: Random, plan: Plan): SimulationResult {
  const world = createWorld(plan)
  const batchers = createBatchers(world)
  const tally: Tally = { isCounting: false, arrived: 0, answered: 0, admissionsMs: [], latenciesMs: [] }
  const owners = createOwnerDraw(random, plan.demand)
  const placeOf = createPlacing(random, plan.layout)
  demand(world, random, plan.demand, (answered) => flow({ world, batchers, tally }, placeOf(owners()), answered))
  const countsFromMs = plan.lengthMs / 5
  world.events.runUntil(countsFromMs)
  const before = readMeters(world, batchers)
  tally.isCounting = true
  world.events.runUntil(plan.lengthMs)
  return summarize(plan, tally, { before, after: readMeters(world, batchers), windowMs: plan.lengthMs - countsFromMs })
}

// How a replica's time for a call is spread over the stages of the call, and the callers' and the endpoint's.
const REPLICA = { receive: 0.3, dispatch: 0.25, hear: 0.2, answer: 0.25 }
const CALLER = { ask: 0.25, serve: 0.5, hear: 0.25 }

interface Scene {
  world: World
  batchers: Batchers
  tally: Tally
}

/** One call: asked, received, admitted, dispatched, served, heard, settled, answered. */
function flow({ world, batchers, tally }: Scene, place: Place, answered: () => void): void {
  const { events, costs, callers } = world
  const thread = world.replicas[place.replica]
  if (thread === undefined) throw new Error('a call was led to a replica that is not there')
  const begunMs = events.now()
  if (tally.isCounting) tally.arrived += 1
  const replica = (share: number, then: () => void) => thread.use(costs.replicaPerCall * share, then)
  const caller = (share: number, then: () => void) =>
    callers === null ? then() : callers.use(costs.callerPerCall * share, then)

  const end = () => {
    if (tally.isCounting) {
      tally.answered += 1
      tally.latenciesMs.push(events.now() - begunMs)
    }
    answered()
  }
  const settle = () => batchers.settle(place, () => replica(REPLICA.answer, () => caller(CALLER.hear, end)))
  const dispatch = () =>
    replica(REPLICA.dispatch, () =>
      caller(CALLER.serve, () => events.after(costs.endpoint, () => replica(REPLICA.hear, settle))),
    )
  const admit = () => {
    const askedMs = events.now()
    batchers.admit(place, () => {
      if (tally.isCounting) tally.admissionsMs.push(events.now() - askedMs)
      dispatch()
    })
  }
  caller(CALLER.ask, () => replica(REPLICA.receive, admit))
}

/** Begins calls, again and again. */
function demand(world: World, random: Random, { load }: Demand, call: (answered: () => void) => void): void {
  if (load.kind === 'callers') {
    const again = () => call(() => world.events.after(0, again))
    for (let caller = 0; caller < load.callers; caller += 1) world.events.after(0, again)
    return
  }
  const next = () => {
    call(() => undefined)
    world.events.after((-Math.log(1 - random.next()) * 1_000) / load.callsPerSecond, next)
  }
  next()
}

/** Any replica of the owner's cell in turn, and the one database that has the owner. */
function createPlacing(random: Random, { replicas, databases, cells }: Layout): (owner: number) => Place {
  if (replicas % cells !== 0 || databases % cells !== 0) throw new Error('cells must be alike')
  const replicasOfCell = replicas / cells
  const databasesOfCell = databases / cells
  return (owner) => {
    // Spread by a multiplication, so that the most frequent owners are not neighbours.
    const hash = Math.imul(owner + 1, 0x9e3779b1) >>> 0
    const cell = hash % cells
    return {
      owner,
      database: cell * databasesOfCell + (Math.floor(hash / cells) % databasesOfCell),
      replica: cell * replicasOfCell + random.int(0, replicasOfCell - 1),
    }
  }
}

interface Meters {
  transactions: number
  items: number
  replicasMs: number
  databasesMs: readonly number[]
}

function readMeters(world: World, batchers: Batchers): Meters {
  return {
    ...batchers.totals(),
    replicasMs: world.replicas.reduce((sum, thread) => sum + thread.busyMs(), 0),
    databasesMs: world.databases.map(({ busyMs }) => busyMs),
  }
}

function summarize(
  { layout }: Plan,
  { arrived, answered, admissionsMs, latenciesMs }: Tally,
  { before, after, windowMs }: { before: Meters; after: Meters; windowMs: number },
): SimulationResult {
  const transactions = after.transactions - before.transactions
  const databases = after.databasesMs.map((ms, index) => ms - (before.databasesMs[index] ?? 0))
  return {
    callsPerSecond: (answered / windowMs) * 1_000,
    admission: quantilesOf(admissionsMs),
    latency: quantilesOf(latenciesMs),
    callsPerBatch: (after.items - before.items) / transactions,
    transactionsPerCall: transactions / answered,
    replicaUse: (after.replicasMs - before.replicasMs) / windowMs / layout.replicas,
    databaseUse: Math.max(...databases) / windowMs / layout.databaseProcessors,
    answeredShare: answered / arrived,
  }
}

function quantilesOf(values: readonly number[]): Quantiles {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) }
}
