import { expect, test } from 'vitest'
import { judgeWide, type WideRun } from '../../src/fuzz/wide-answers/judge-wide.ts'

const notes = (ms: number, count = 100) => ({
  latenciesMs: Array.from({ length: count }, () => ms),
  lateMs: [],
  failures: 0,
})
const GOOD: WideRun = {
  values: 90_000,
  isAccepted: false,
  outcomes: ['refused', 'refused'],
  health: notes(10),
  quiet: notes(4),
  calls: notes(20),
}

function missed(run: Partial<WideRun>): string[] {
  return judgeWide({ ...GOOD, ...run })
    .filter(({ passed }) => !passed)
    .map(({ what }) => what.replace('90000 values: ', ''))
}

test('a run in which wide answers were refused and nobody waited is good', () => {
  expect(missed({})).toEqual([])
  expect(missed({ isAccepted: true, outcomes: ['accepted'] })).toEqual([])
})

test.each([
  ['executes answered by other than 200', { outcomes: ['refused', null] }],
  ['health checks meanwhile', { health: notes(10, 3) }],
  ['health checks that failed', { health: { ...notes(10), failures: 1 } }],
  ['slowest /health', { health: { ...notes(10), latenciesMs: [...notes(10).latenciesMs, 251] } }],
  ['calls of another tenant that failed', { calls: { ...notes(20), failures: 1 } }],
  ['p99 of another tenant’s calls meanwhile', { calls: notes(21) }],
] satisfies [string, Partial<WideRun>][])('%s is found', (what, run) => {
  expect(missed(run)).toContain(what)
})

test('an answer that was taken, but should not be, is found', () => {
  expect(missed({ outcomes: ['refused', 'accepted'] })).toEqual(['answers that were not refused'])
})
