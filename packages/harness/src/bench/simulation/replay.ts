import type { Random } from '../../support/random.ts'
import { atMost, type Check } from '../../support/scenario.ts'
import { median } from '../../support/statistics.ts'
import type { ReplicaRun } from '../replicas/measure.ts'
import type { Costs, Demand, Layout, SimulationResult } from './model.ts'
import { simulate } from './simulate.ts'

/** How far a simulated throughput may be from the measured one of the same run. */
const TOLERANCE = 0.3
const REPLAYED_CALLS = 10_000
const LONGEST_REPLAY_MS = 20_000

/** A run, and the same run simulated. */
export interface Replayed {
  run: ReplicaRun
  simulated: SimulationResult
}

export function replay(random: Random, costs: Costs, run: ReplicaRun): Replayed {
  const layout: Layout = {
    replicas: run.replicas,
    databases: 1,
    databaseProcessors: 2,
    cells: 1,
    sharedProcessors: run.processors,
  }
  const demand: Demand = { owners: run.owners, exponent: 0, load: { kind: 'callers', callers: run.clients } }
  const lengthMs = Math.min(LONGEST_REPLAY_MS, (REPLAYED_CALLS / run.callsPerSecond) * 1_000)
  return { run, simulated: simulate(random, { costs, layout, demand, lengthMs }) }
}

/** Pure: within the tolerance for every number of replicas and owners, at the median of their rounds. */
export function checkSimulation(pairs: readonly Replayed[]): Check[] {
  return grouped(pairs).map(({ first, of }) =>
    atMost(
      `${first.run.replicas} replicas, ${first.run.owners === 1 ? 'one owner' : 'many owners'}: simulated throughput's distance from the measured one`,
      Math.abs(of(({ run, simulated }) => simulated.callsPerSecond / run.callsPerSecond) - 1),
      TOLERANCE,
    ),
  )
}

interface Rounds {
  first: Replayed
  /** The median of a figure over the rounds. */
  of(figure: (pair: Replayed) => number): number
}

/** Each round is compared with itself before the median is taken: what other programs took differs from round to round. */
export function grouped(pairs: readonly Replayed[]): Rounds[] {
  const nameOf = ({ run }: Replayed) => `${run.replicas} ${run.owners}`
  return [...new Set(pairs.map(nameOf))].flatMap((name) => {
    const group = pairs.filter((pair) => nameOf(pair) === name)
    return group.slice(0, 1).map((first) => ({ first, of: (figure) => median(group.map(figure)) }))
  })
}
