import { describe, expect, test } from 'vitest'
import { createEventQueue } from '../../src/bench/simulation/event-queue.ts'
import { fitCosts, fitLine } from '../../src/bench/simulation/fit.ts'
import type { Costs, Demand, Layout } from '../../src/bench/simulation/model.ts'
import { monthOf } from '../../src/bench/simulation/month.ts'
import { checkSimulation } from '../../src/bench/simulation/replay.ts'
import { createLocks, createResource } from '../../src/bench/simulation/resources.ts'
import { simulate } from '../../src/bench/simulation/simulate.ts'
import { projectionTable } from '../../src/bench/simulation/tables.ts'
import { createOwnerDraw } from '../../src/bench/simulation/zipf.ts'
import { createRandom } from '../../src/support/random.ts'
import { replicaRun } from './runs.ts'

const COSTS: Costs = {
  replicaPerCall: 1,
  replicaPerTransaction: 0,
  databasePerCall: 0,
  databasePerTransaction: 0,
  callerPerCall: 0,
  sync: 2,
  roundTrip: 0,
  statementsPerTransaction: 7,
  endpoint: 5,
  settlingLocks: false,
}
const LAYOUT: Layout = { replicas: 1, databases: 1, databaseProcessors: 4, cells: 1, sharedProcessors: null }
const DEMAND: Demand = { owners: 100, exponent: 0, load: { kind: 'callers', callers: 1 } }

function run(costs: Partial<Costs>, layout: Partial<Layout> = {}, demand: Partial<Demand> = {}, lengthMs = 4_000) {
  const plan = { costs: { ...COSTS, ...costs }, layout: { ...LAYOUT, ...layout }, demand: { ...DEMAND, ...demand } }
  return simulate(createRandom(7), { ...plan, lengthMs })
}

describe('events and what they wait for', () => {
  test('happen in the order of their times, and of their adding where the times are one', () => {
    const events = createEventQueue()
    const happened: string[] = []
    const note = (name: string) => () => void happened.push(`${name} at ${events.now()}`)
    for (const [delay, name] of [
      [3, 'c'],
      [1, 'a'],
      [3, 'd'],
      [2, 'b'],
    ] as const)
      events.after(delay, note(name))
    events.runUntil(3)
    expect(happened).toEqual(['a at 1', 'b at 2'])
    events.runUntil(4)
    expect(happened.slice(2)).toEqual(['c at 3', 'd at 3'])
  })

  test('a resource of two places serves two at a time, the others in their order', () => {
    const events = createEventQueue()
    const ends: number[] = []
    const resource = createResource(events, 2)
    for (let index = 0; index < 5; index += 1) resource.use(10, () => ends.push(events.now()))
    events.runUntil(100)
    expect(ends).toEqual([10, 10, 20, 20, 30])
    expect(resource.busyMs()).toBe(50)
  })

  test('who waits for a lock keeps those it has', () => {
    const locks = createLocks()
    const taken: string[] = []
    locks.take([2], () => taken.push('a'))
    locks.take([1, 2], () => taken.push('b'))
    locks.take([1], () => taken.push('c'))
    expect(taken).toEqual(['a'])
    locks.release([2])
    expect(taken).toEqual(['a', 'b'])
    locks.release([1, 2])
    expect(taken).toEqual(['a', 'b', 'c'])
  })
})

describe('a simulated service', () => {
  test('answers one caller after every cost of a call: two commits, the endpoint, the replica', () => {
    const result = run({})
    expect(result.latency.p50).toBeCloseTo(1 + 2 * 2 + 5)
    expect(result.admission.p99).toBeCloseTo(2)
    expect(result.callsPerBatch).toBe(1)
    expect(result.transactionsPerCall).toBeCloseTo(2, 1)
  })

  test('is as fast as its busiest part: the replica’s one thread', () => {
    const result = run({}, {}, { load: { kind: 'callers', callers: 64 } })
    expect(result.callsPerSecond).toBeLessThanOrEqual(1_001)
    expect(result.callsPerSecond).toBeGreaterThan(850)
    expect(result.replicaUse).toBeCloseTo(result.callsPerSecond / 1_000, 1)
    expect(result.callsPerBatch).toBeGreaterThan(1.5)
  })

  test('gains by a second replica, unless all of it is on one processor', () => {
    const load: Demand['load'] = { kind: 'callers', callers: 64 }
    expect(run({}, { replicas: 2 }, { load }).callsPerSecond).toBeGreaterThan(1_500)
    expect(run({}, { replicas: 2, sharedProcessors: 1 }, { load }).callsPerSecond).toBeLessThan(1_010)
  })

  test('has one admission of an owner after the other, and those of many side by side', () => {
    const slow = { sync: 20, endpoint: 0, replicaPerCall: 0.01 }
    const layout = { replicas: 8 }
    const load: Demand['load'] = { kind: 'callers', callers: 8 }
    const one = run(slow, layout, { owners: 1, load })
    const many = run(slow, layout, { owners: 100_000, load })
    expect(many.callsPerSecond / one.callsPerSecond).toBeGreaterThan(2)
    expect(many.admission.p50).toBeCloseTo(20, 0)
    expect(one.admission.p99).toBeGreaterThan(40)
  })

  test('keeps up with a rate below what it can do, and falls behind one above', () => {
    const at = (callsPerSecond: number) => run({}, {}, { load: { kind: 'rate', callsPerSecond } })
    expect(at(500).callsPerSecond).toBeCloseTo(500, -2)
    expect(at(500).answeredShare).toBeGreaterThan(0.95)
    expect(at(2_000).answeredShare).toBeLessThan(0.6)
  })

  test('that falls behind is shown as growing, and not by how long its calls have waited so far', () => {
    const cellsAt = (callsPerSecond: number) => {
      const result = run({}, {}, { load: { kind: 'rate', callsPerSecond } })
      const projection = { factor: 1, callsPerSecond, exponent: 0, layout: LAYOUT, result }
      return projectionTable([projection]).rows[0]?.slice(5, 7)
    }
    expect(cellsAt(500)).toEqual([expect.stringMatching(/^(9\d|10\d) %$/), expect.stringMatching(/^[\d.]+ \/ [\d.]+$/)])
    expect(cellsAt(2_000)).toEqual([expect.stringMatching(/^[1-5]\d %$/), 'growing'])
  })

  test('leads calls to their owner’s cell, so that fewer batches hold more', () => {
    const load: Demand['load'] = { kind: 'callers', callers: 400 }
    const demand = { load, owners: 10_000 }
    const all = run({ replicaPerCall: 0.1 }, { replicas: 16, databases: 8 }, demand, 200)
    const cells = run({ replicaPerCall: 0.1 }, { replicas: 16, databases: 8, cells: 8 }, demand, 200)
    expect(cells.callsPerBatch / all.callsPerBatch).toBeGreaterThan(2)
  })

  test('is the same for the same seed', () => {
    const demand: Demand = { owners: 50, exponent: 1, load: { kind: 'rate', callsPerSecond: 400 } }
    expect(run({}, {}, demand)).toEqual(run({}, {}, demand))
  })
})

test('owners of a market: the first is drawn as often as its part of the harmonic sum, and none lies outside', () => {
  const draw = createOwnerDraw(createRandom(3), { owners: 1_000, exponent: 1 })
  const counts = new Map<number, number>()
  for (let index = 0; index < 100_000; index += 1) {
    const owner = draw()
    counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  expect((counts.get(0) ?? 0) / 100_000).toBeCloseTo(1 / 7.485, 2)
  expect(Math.max(...counts.keys())).toBeLessThan(1_000)
  expect(Math.min(...counts.keys())).toBe(0)
})

describe('costs', () => {
  test('of calls and transactions are told apart by runs with different shares of them', () => {
    const runs = [2, 1, 0.5, 0.1].map((transactions) =>
      replicaRun({
        transactionsPerCall: transactions,
        cpuPerCallMs: { server: 0.3 + 0.2 * transactions, postgres: 0.1 + 0.4 * transactions, generator: 0.05 },
      }),
    )
    const costs = fitCosts({ calibration: runs, syncMs: 0.4, settlingLocks: true, statementsPerTransaction: 7 })
    expect(costs.replicaPerCall).toBeCloseTo(0.3)
    expect(costs.replicaPerTransaction).toBeCloseTo(0.2)
    expect(costs.databasePerCall).toBeCloseTo(0.1)
    expect(costs.databasePerTransaction).toBeCloseTo(0.4)
    expect(costs).toMatchObject({ callerPerCall: 0.05, sync: 0.4, settlingLocks: true })
  })

  test('are never below zero', () => {
    const points = (...pairs: [x: number, y: number][]) => pairs.map(([x, y]) => ({ x, y, weight: 1 }))
    expect(fitLine(points([1, 1], [2, 3]))).toEqual({ constant: 0, slope: 1.4 })
    expect(fitLine(points([1, 3], [2, 1]))).toEqual({ constant: 2, slope: 0 })
  })

  test('follow runs of many calls rather than those of few', () => {
    const few = { x: 2, y: 100, weight: 1 }
    const { constant, slope } = fitLine([few, { x: 1, y: 3, weight: 1e6 }, { x: 0.5, y: 2, weight: 1e6 }])
    expect(slope).toBeCloseTo(2, 0)
    expect(constant).toBeCloseTo(1, 0)
  })
})

test('a simulation that is a third off the measured throughput is refused, one that is a quarter off is not', () => {
  const simulated = run({})
  const measured = (factor: number) => replicaRun({ callsPerSecond: simulated.callsPerSecond * factor })
  const passed = [1, 0.8, 1.3, 0.7, 1.6].map(
    (factor) => checkSimulation([{ run: measured(factor), simulated }])[0]?.passed,
  )
  expect(passed).toEqual([true, true, true, false, false])
  const rounds = [1, 1.1, 9].map((factor) => ({ run: measured(factor), simulated }))
  expect(checkSimulation(rounds).map((check) => check.passed)).toEqual([true])
})

test('a month at a thousand calls a second is 1.3 milliards of calls and three months of them on the disk', () => {
  const month = monthOf({ callsPerSecond: 1_000, replicas: 4, databaseCores: 16, bytesPerExecution: 2_000 })
  expect(month.calls).toBeCloseTo(1_314)
  expect(month.storedGigabytes).toBeCloseTo(7_776)
  expect(month.replicas).toBeCloseTo(116.8)
  expect(month.databases).toBeCloseTo(2_336)
  expect(month.total).toBeCloseTo(116.8 + 2_336 + 7_776 * 0.23 + 20)
  expect(month.perMillionCalls).toBeCloseTo(month.total / 1_314)
})
