import { describe, expect, test } from 'vitest'
import { judgeBatches, judgeCalls, judgeExecute, judgeSlow } from '../../src/bench/broker/judge.ts'
import { NAMES, withoutWrites } from '../../src/bench/broker/names.ts'
import type { Slot } from '../../src/bench/load/rounds.ts'
import type { Check } from '../../src/support/scenario.ts'
import { measuredOf, slot } from './slots.ts'

const US = NAMES.sqlite

function missed(checks: readonly Check[]): string[] {
  return checks.filter(({ passed }) => !passed).map(({ what }) => what)
}

describe('calls', () => {
  const good = {
    [NAMES.nginx]: [slot({ requests: 500, processMs: 10 })],
    [NAMES.proxy]: [slot({ requests: 100, processMs: 20 })],
    [NAMES.proxyAgain]: [slot({ requests: 98, processMs: 20 })],
    [US]: [slot({ requests: 32, processMs: 20, mainThreadMs: 15 })],
    [withoutWrites(US)]: [slot({ requests: 80, processMs: 18, mainThreadMs: 14 })],
  }
  const judged = (changed: Record<string, Slot[]>) => missed(judgeCalls(measuredOf({ ...good, ...changed }), [US]))

  test('as fast as is asked for', () => {
    expect(judged({})).toEqual([])
  })

  test.each<[string, Slot, RegExp]>([
    ['too few calls', slot({ requests: 28, processMs: 15, mainThreadMs: 12 }), /calls.s over the proxy’s/],
    ['too much processor time', slot({ requests: 32, processMs: 23, mainThreadMs: 15 }), /CPU per call/],
    ['a failed call', slot({ requests: 32, processMs: 20, mainThreadMs: 15, refused: 1 }), /calls that failed/],
    ['a main thread busy with writing', slot({ requests: 32, processMs: 20, mainThreadMs: 400 }), /main thread/],
  ])('%s is noticed', (_, ours, expected) => {
    expect(judged({ [US]: [ours] })).toEqual(expect.arrayContaining([expect.stringMatching(expected)]))
  })

  test('a proxy that is not as fast as itself is noticed', () => {
    expect(judged({ [NAMES.proxyAgain]: [slot({ requests: 60 })] })).toEqual(['the proxy against itself, calls/s'])
  })
})

test('batches must be worth it, where they were measured', () => {
  const ours = { [US]: [slot({ requests: 100 })] }
  expect(judgeBatches(measuredOf(ours))).toEqual([])
  expect(missed(judgeBatches(measuredOf({ ...ours, [NAMES.withoutBatches]: [slot({ requests: 40 })] })))).toEqual([])
  const alike = measuredOf({ ...ours, [NAMES.withoutBatches]: [slot({ requests: 90 })] })
  expect(missed(judgeBatches(alike))).toHaveLength(1)
})

test('a slow endpoint hides what a call costs, but not all of it', () => {
  const proxy = { [NAMES.proxy]: [slot({ requests: 100, p50Ms: 20 })] }
  const judged = (ours: Slot) => missed(judgeSlow(measuredOf({ ...proxy, [US]: [ours] }), [US]))
  expect(judged(slot({ requests: 80, p50Ms: 24 }))).toEqual([])
  expect(judged(slot({ requests: 80, p50Ms: 26 }))).toEqual([`${US}, p50 over the proxy’s, 20 ms`])
})

test('an execute must beat the peer, whose own failures do not count against us', () => {
  const peer = { [NAMES.peer]: [slot({ requests: 10, broken: 4 })] }
  expect(missed(judgeExecute(measuredOf({ ...peer, [US]: [slot({ requests: 52 })] }), [US]))).toEqual([])
  expect(missed(judgeExecute(measuredOf({ ...peer, [US]: [slot({ requests: 48 })] }), [US]))).toHaveLength(1)
  expect(missed(judgeExecute(measuredOf({ ...peer, [US]: [slot({ requests: 52, refused: 1 })] }), [US]))).toHaveLength(
    1,
  )
})
