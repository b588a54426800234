import { describe, expect, test } from 'vitest'
import { bucketOf, planHistory, SLOTS } from '../../src/bench/growth/history-plan.ts'
import { bestOf, checkGrowth, growthTable, isWithinMark } from '../../src/bench/growth/judge.ts'
import { serverFaults } from '../../src/bench/load/server-faults.ts'
import { checkReplicas, mediansOf } from '../../src/bench/replicas/replicas.ts'
import { createRandom } from '../../src/support/random.ts'
import { replicaRun } from './runs.ts'

type Given = [p50Ms: number, p99Ms: number, cpuMs?: number]
const row = (name: string, ...times: Given[]) => ({
  name,
  times: times.map(([p50Ms, p99Ms, cpuMs = 1]) => ({ p50Ms, p99Ms, cpuMs })),
})

describe('growth', () => {
  test('within three times the smallest passes, at the median, at the 99th percentile and in processor time', () => {
    const passes = (...times: Given[]) => checkGrowth([row('a', ...times)]).map(({ passed }) => passed)
    expect(passes([1, 4, 2], [3, 12, 6], [2, 5, 3])).toEqual([true, true, true])
    expect(passes([1, 4], [3.1, 12])).toEqual([false, true, true])
    expect(passes([1, 4], [2, 4], [3, 12.1])).toEqual([true, false, true])
    expect(passes([1, 4, 2], [1, 4, 6.1])).toEqual([true, true, false])
  })

  test('one size alone proves nothing', () => {
    expect(() => checkGrowth([row('a', [1, 4])])).toThrow('nothing to compare')
  })

  test('of several tries the one with the least growth counts', () => {
    const [bad, good] = [row('a', [1, 4], [1, 40]), row('a', [1, 4], [2, 8])]
    expect([isWithinMark(bad), isWithinMark(good)]).toEqual([false, true])
    expect(bestOf([bad, good])).toBe(good)
  })

  test('is shown as a table', () => {
    expect(growthTable('sqlite', [10, 1_000], [row('a', [1, 4], [2, 6])])).toEqual({
      name: 'sqlite',
      head: ['ms', '10: p50 / p99, CPU', '1,000: p50 / p99, CPU', 'ratio of p50', 'of p99', 'of CPU'],
      rows: [['a', '1 / 4, 1', '2 / 6, 1', '2', '1.5', '1']],
    })
  })
})

describe('a planned history', () => {
  const big = { ownerId: 'own_big', projectId: 'proj_1', runtimes: [{ runtimeId: 'rt_1', capability: 'a' }] }
  const plan = planHistory(createRandom(1), big, { input: 10, output: 10 })

  test('gives a tenth to the big owner, and to each of the others something', () => {
    expect(plan.slots.filter(({ ownerId }) => ownerId === 'own_big')).toHaveLength(SLOTS / 10)
    expect(new Set(plan.slots.map(({ ownerId }) => ownerId)).size).toBe(101)
  })

  test('has durations of which no two are one, since they tell where each is counted', () => {
    expect(new Set(plan.durations.map(({ durationMs }) => durationMs)).size).toBe(plan.durations.length)
  })

  test('counts durations in buckets a tenth apart', () => {
    expect([0, 1, 9, 10, 11, 12, 13, 14].map(bucketOf)).toEqual([0, 1, 9, 10, 10, 11, 11, 12])
  })
})

describe('replicas', () => {
  const run = (replicas: number, owners: number, server: number) =>
    replicaRun({ replicas, owners, cpuPerCallMs: { server, postgres: 0.5, generator: 0.1 } })
  const good = [run(1, 1, 0.5), run(3, 1, 0.7), run(1, 100, 0.5), run(3, 100, 0.8)]
  const found = (runs: typeof good) => ({
    runs,
    statements: [],
    answered: 4_000,
    completed: 4_000,
  })
  const passes = (given: Parameters<typeof checkReplicas>[0]) => checkReplicas(given).map(({ passed }) => passed)

  test('that lose nothing and cost little more together pass', () => {
    expect(passes(found(good))).toEqual([true, true, true, true])
  })

  test('that fail a call, lose one, or cost much more together do not', () => {
    const failing = [...good, replicaRun({ failures: 1, kinds: new Map([['500', 1]]) })]
    expect(passes(found(failing))).toEqual([false, true, true, true])
    expect(checkReplicas(found(failing))[0]?.measured).toBe('1: 1 × 500')
    expect(passes({ ...found(good), completed: 3_999 })).toEqual([true, false, true, true])
    const dear = found([run(1, 1, 0.5), run(3, 1, 1.6), run(1, 100, 0.5), run(3, 100, 1.6)])
    expect(passes(dear)).toEqual([true, true, false, false])
  })

  test('are not judged where one of the numbers is missing', () => {
    expect(passes(found(good.slice(0, 2)))).toEqual([true, true, false, true])
  })

  test('are shown by the median of their rounds, with what statements waited for added up', () => {
    const rounds = [10, 30, 20].map((p50Ms, index) => replicaRun({ p50Ms, waits: new Map([['running', index + 1]]) }))
    const [middle, ...rest] = mediansOf([...rounds, replicaRun({ replicas: 2 })])
    expect(middle).toMatchObject({ p50Ms: 20, calls: 3_000 })
    expect(middle?.waits.get('running')).toBe(6)
    expect(rest).toHaveLength(1)
  })
})

test('errors in a server’s log are counted by what they say; warnings and what is no log are not', () => {
  const fault = '{"level":50,"msg":"a request failed","err":{"code":"55P03","message":"lock timeout"}}'
  const lines = [
    'listening on http://127.0.0.1:1',
    fault,
    '{"level":40,"msg":"slow"}',
    fault,
    '{"level":60,"msg":"over"}',
    '',
  ]
  expect(serverFaults(lines.join('\n'))).toEqual(['2 × a request failed: 55P03 lock timeout', '1 × over'])
})
