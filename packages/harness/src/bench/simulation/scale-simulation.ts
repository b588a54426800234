import type { Random } from '../../support/random.ts'
import { atMost, type Check, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { median, rounded } from '../../support/statistics.ts'
import type { ReplicaRun } from '../replicas/measure.ts'
import type { ReplicaRuns } from '../replicas/replica-runs.ts'
import { fitCosts } from './fit.ts'
import type { Costs, Demand, Layout, SimulationResult } from './model.ts'
import { monthOf } from './month.ts'
import { simulate } from './simulate.ts'

/** How far a simulated throughput may be from the measured one of the same run. */
const TOLERANCE = 0.3

/** Admission and settlement at a thousand times the load, by a simulation that is held against what was measured. */
export function scaleSimulation(measured: (context: ScenarioContext) => Promise<ReplicaRuns>): Scenario {
  return {
    name: 'scale-simulation',
    title: 'admission at 1 to 1,000 times the load, simulated with measured costs',
    engines: ['postgres'],
    async run(context) {
      const found = await measured(context)
      const costs = fitCosts(found)
      context.say(describeCosts(costs))
      const pairs = found.runs.map((run) => replay(context.random.fork(), costs, run))
      for (const line of validationTable(pairs)) context.say(line)
      const projections = project(context, costs)
      for (const line of projectionTable(projections)) context.say(line)
      context.say(`an execution and its call take ${Math.round(found.bytesPerExecution)} bytes, indexes included`)
      for (const line of monthTable(projections, found.bytesPerExecution)) context.say(line)
      return checkSimulation(pairs)
    },
  }
}

export interface Replayed {
  run: ReplicaRun
  simulated: SimulationResult
}

/** Pure: within the tolerance for every number of replicas and owners, at the median of their rounds. */
export function checkSimulation(pairs: readonly Replayed[]): Check[] {
  return grouped(pairs).map(({ first, of }) =>
    atMost(
      `${first.run.replicas} replicas, ${first.run.owners} owners: simulated throughput's distance from the measured one`,
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
function grouped(pairs: readonly Replayed[]): Rounds[] {
  const nameOf = ({ run }: Replayed) => `${run.replicas} ${run.owners}`
  return [...new Set(pairs.map(nameOf))].flatMap((name) => {
    const group = pairs.filter((pair) => nameOf(pair) === name)
    return group.slice(0, 1).map((first) => ({ first, of: (figure) => median(group.map(figure)) }))
  })
}

const REPLAYED_CALLS = 10_000
const LONGEST_REPLAY_MS = 20_000
const OWNERS_OF_A_MARKET = 100_000

function replay(random: Random, costs: Costs, run: ReplicaRun): Replayed {
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

interface Projection {
  factor: number
  callsPerSecond: number
  exponent: number
  layout: Layout
  result: SimulationResult
}

/** How busy replicas and databases are meant to be, of what their processors could do with no waiting. */
const MEANT_USE = 0.5
const DATABASE_PROCESSORS = 16
/** As in one region of a cloud: between two machines, and to a disk that is a service. */
const ASSUMED = { roundTrip: 0.25, sync: 1, endpoint: 20, callerPerCall: 0 }
const PROJECTED_MS = 1_500
const MAX_CALLS = 100_000
/** Several times what a call takes. */
const LEAST_PROJECTED_MS = 120

function project(context: ScenarioContext, measuredCosts: Costs): Projection[] {
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

function describeCosts(costs: Costs): string {
  const us = (ms: number) => `${rounded(ms * 1_000)} µs`
  return [
    `fitted: replica ${us(costs.replicaPerCall)} a call and ${us(costs.replicaPerTransaction)} a transaction`,
    `database ${us(costs.databasePerCall)} and ${us(costs.databasePerTransaction)}`,
    `callers ${us(costs.callerPerCall)}, fsync ${us(costs.sync)}, ${rounded(costs.statementsPerTransaction)} statements a transaction`,
    `settlements ${costs.settlingLocks ? 'lock' : 'do not lock'} an owner's counters`,
  ].join('; ')
}

function validationTable(pairs: readonly Replayed[]): string[] {
  return [
    '| replicas | owners | calls/s measured | simulated | ratio | p50 ms measured | simulated | transactions a call | simulated |',
    `|${'---|'.repeat(9)}`,
    ...grouped(pairs).map(({ first, of }) => {
      const figures = [
        of(({ run }) => run.callsPerSecond),
        of(({ simulated }) => simulated.callsPerSecond),
        of(({ run, simulated }) => simulated.callsPerSecond / run.callsPerSecond),
        of(({ run }) => run.p50Ms),
        of(({ simulated }) => simulated.latency.p50),
        of(({ run }) => run.transactionsPerCall),
        of(({ simulated }) => simulated.transactionsPerCall),
      ]
      return `| ${[first.run.replicas, first.run.owners, ...figures.map(rounded)].join(' | ')} |`
    }),
  ]
}

function projectionTable(projections: readonly Projection[]): string[] {
  return [
    '| load | calls/s asked | owners | replicas × databases | led by owner | answered/s | admission p50 / p99 ms | calls a batch | replicas busy | busiest database |',
    `|${'---|'.repeat(10)}`,
    ...projections.map(({ factor, callsPerSecond, exponent, layout, result }) => {
      const cells = [
        `× ${factor.toLocaleString('en')}`,
        callsPerSecond.toLocaleString('en'),
        exponent === 0 ? 'alike' : 'a market',
        `${layout.replicas} × ${layout.databases}`,
        layout.cells > 1 ? 'yes' : 'no',
        Math.round(result.callsPerSecond).toLocaleString('en'),
        `${rounded(result.admission.p50)} / ${rounded(result.admission.p99)}`,
        rounded(result.callsPerBatch),
        `${Math.round(result.replicaUse * 100)} %`,
        `${Math.round(result.databaseUse * 100)} %`,
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}

/** The layouts that keep up: of each load the last one with owners that are alike, which has cells where there can be any. */
function monthTable(projections: readonly Projection[], bytesPerExecution: number): string[] {
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  const alike = projections.filter(({ exponent }) => exponent === 0)
  const last = alike.filter(({ factor }, index) => alike[index + 1]?.factor !== factor)
  return [
    '| load | million calls a month | replicas $ | databases $ | stored GB | storage $ | all $ | $ a million calls |',
    `|${'---|'.repeat(8)}`,
    ...last.map(({ factor, callsPerSecond, layout }) => {
      const { replicas, databases, databaseProcessors } = layout
      const month = monthOf({
        callsPerSecond,
        replicas,
        databaseCores: databases * databaseProcessors,
        bytesPerExecution,
      })
      const dollars = [month.replicas, month.databases, month.storedGigabytes, month.storage, month.total].map(whole)
      return `| × ${factor.toLocaleString('en')} | ${whole(month.calls)} | ${dollars.join(' | ')} | ${rounded(month.perMillionCalls)} |`
    }),
  ]
}
