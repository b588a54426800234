import { expect, test } from 'vitest'
import { repeatWork } from '../../src/lib/repeated-work.ts'
import { createGate, deferred, type Gate } from '../support/deferred.ts'

const HOUR_MS = 3_600_000

function enter(gate: Gate): () => Promise<boolean> {
  return async () => {
    await gate.enter()
    return true
  }
}

test('begins run after run, also while one takes longer', async () => {
  const gate = createGate()
  const work = repeatWork({ everyMs: 1 }, enter(gate))
  await gate.arrived(3)
  expect(gate.waiting).toBeGreaterThanOrEqual(3)
  gate.open()
  await work.stop()
})

test('stops when all runs have ended, and begins no more', async () => {
  const gate = createGate()
  let begun = 0
  const work = repeatWork({ everyMs: HOUR_MS, retryMs: 1 }, () => {
    begun += 1
    return enter(gate)()
  })
  work.begin()
  work.begin()
  let hasStopped = false
  const stopping = work.stop().then(() => {
    hasStopped = true
  })
  work.begin()
  gate.letOne()
  await new Promise(setImmediate)
  expect([begun, hasStopped]).toEqual([2, false])
  gate.letOne()
  await stopping
})

test('retries soon after a failed run, until one succeeds', async () => {
  const outcomes = [false, false, true]
  const succeeded = deferred()
  let begun = 0
  const work = repeatWork({ everyMs: HOUR_MS, retryMs: 1 }, async () => {
    const outcome = outcomes[begun] ?? false
    begun += 1
    if (outcome) succeeded.resolve()
    return outcome
  })
  work.begin()
  await succeeded.promise
  await work.stop()
  expect(begun).toBe(3)
})

test('does not retry after it has stopped', async () => {
  const gate = createGate()
  let begun = 0
  const work = repeatWork({ everyMs: HOUR_MS, retryMs: 0 }, async () => {
    begun += 1
    await gate.enter()
    return false
  })
  work.begin()
  const stopping = work.stop()
  gate.open()
  await stopping
  await new Promise(setImmediate)
  expect(begun).toBe(1)
})
