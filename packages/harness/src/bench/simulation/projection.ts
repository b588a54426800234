import type { ScenarioContext } from '../../support/scenario.ts'
import type { Costs, Demand, Layout, SimulationResult } from './model.ts'
import { simulate } from './simulate.ts'

/** One load on one layout. */
export interface Projection {
  factor: number
  callsPerSecond: number
  exponent: number
  layout: Layout
  result: SimulationResult
}

const OWNERS_OF_A_MARKET = 100_000
/** How busy replicas and databases are meant to be, of what their processors could do with no waiting. */
const MEANT_USE = 0.5
const DATABASE_PROCESSORS = 16
/** As in one region of a cloud: between two machines, and to a disk that is a service. */
const ASSUMED = { roundTrip: 0.25, sync: 1, endpoint: 20, callerPerCall: 0 }
/** Long beside anything that a call waits for; what is still growing then is growing. */
const PROJECTED_MS = 10_000
const MAX_CALLS = 150_000
/** Several times what a call takes. */
const LEAST_PROJECTED_MS = 120

/** At 1 to 1,000 times the load, with machines to match; less of it where the run is scaled down. */
export function project(context: ScenarioContext, measuredCosts: Costs): Projection[] {
  const costs = { ...measuredCosts, ...ASSUMED }
  const base = Math.round((MEANT_USE * 1_000) / (costs.replicaPerCall + costs.replicaPerTransaction / 2))
  const largest = context.count(1_000)
  return [1, 10, 100, 1_000]
    .filter((factor) => factor <= largest)
    .flatMap((factor) => plansFor(factor, base * factor, costs))
    .map(({ factor, callsPerSecond, exponent, layout }) => {
      const demand: Demand = { owners: OWNERS_OF_A_MARKET, exponent, load: { kind: 'rate', callsPerSecond } }
      const lengthMs = Math.min(PROJECTED_MS, Math.max(LEAST_PROJECTED_MS, (MAX_CALLS / callsPerSecond) * 1_000))
      const result = simulate(context.random.fork(), { costs, layout, demand, lengthMs })
      return { factor, callsPerSecond, exponent, layout, result }
    })
}

function plansFor(factor: number, callsPerSecond: number, costs: Costs): Omit<Projection, 'result'>[] {
  const databaseMs = costs.databasePerCall + costs.databasePerTransaction / 2
  const databases = Math.ceil((callsPerSecond * databaseMs) / 1_000 / DATABASE_PROCESSORS / MEANT_USE)
  // A replica of a call's time alone; cells must be alike.
  const replicas = Math.ceil((2 * factor) / databases) * databases
  const alone: Layout = {
    replicas,
    databases,
    databaseProcessors: DATABASE_PROCESSORS,
    cells: 1,
    sharedProcessors: null,
  }
  const layouts = databases > 1 ? [alone, { ...alone, cells: databases }] : [alone]
  return layouts.flatMap((layout) => [0, 1].map((exponent) => ({ factor, callsPerSecond, exponent, layout })))
}
