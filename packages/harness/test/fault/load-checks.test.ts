import { expect, test } from 'vitest'
import type { Operation, Told } from '../../src/fault/history.ts'
import { judgeLoad, type LoadNotes } from '../../src/fault/load-checks.ts'

const PLAN = { op: 1, doorway: 'execute', runtime: 0, calls: 1, callMs: 0, pieceMs: 0, isReset: false } as const

function heard(count: number, as: 'completed' | 'refused', nodeId = 'node_1'): Operation[] {
  const told: Told =
    as === 'completed' ? { as, executionId: 'exec_1', tokens: 1 } : { as, status: 429, reason: 'Too many.' }
  return Array.from({ length: count }, () => ({ plan: PLAN, nodeId, invokedAt: 100, endedAt: 200, told }))
}

function missed(notes: Partial<LoadNotes>): string[] {
  const good = { operations: heard(20, 'completed'), effects: 10, faults: 4, hasLostServer: false, disturbances: [] }
  return judgeLoad({ ...good, ...notes })
    .filter(({ passed }) => !passed)
    .map(({ what }) => what)
}

test('a load of so many operations for each fault, with few refusals, is one', () => {
  expect(missed({})).toEqual([])
  expect(missed({ operations: [...heard(20, 'completed'), ...heard(5, 'refused')] })).toEqual([])
})

test('too few operations or effects for the faults of the run, and a server that was lost, are seen', () => {
  expect(missed({ operations: heard(19, 'completed') })).toEqual(['acknowledged executions, the warm-up aside'])
  expect(missed({ effects: 7 })).toEqual(['calls that reached the endpoint, the warm-up aside'])
  expect(missed({ hasLostServer: true })).toEqual(['servers that ended by themselves'])
})

test('a service that refuses what it is asked for is seen, unless something was wrong with it', () => {
  const operations = [...heard(20, 'completed'), ...heard(6, 'refused', 'node_2')]
  expect(missed({ operations })).toEqual(['share of refusals while nothing was wrong'])
  expect(missed({ operations, disturbances: [{ nodeId: 'node_2', from: 150, to: 160 }] })).toEqual([])
})
