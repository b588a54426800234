import { expect, test } from 'vitest'
import { repeatWork } from '../../src/repeated-work.ts'
import { createGate } from '../support/deferred.ts'

test('begins round after round, also while one of them takes long', async () => {
  const gate = createGate()
  const work = repeatWork(1, gate.enter)
  await gate.arrived(3)
  expect(gate.waiting).toBeGreaterThanOrEqual(3)
  gate.open()
  await work.stop()
})

test('stops when all that has begun has ended, and begins nothing from then on', async () => {
  const gate = createGate()
  let begun = 0
  const work = repeatWork(3_600_000, () => {
    begun += 1
    return gate.enter()
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
