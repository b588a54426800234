import { expect, test } from 'vitest'
import { sampleLoopDelay, watchLoopDelay } from '../../src/admission/loop-delay.ts'

test('the delay is the mean of what was seen since the last look, without the time that timers take anyway', () => {
  const histogram = { count: 3, mean: 70e6, reset: () => {} }
  let now = 0
  const delay = sampleLoopDelay(histogram, () => now)
  now = 49
  expect(delay.delayMs).toBe(0)
  now = 50
  expect(delay.delayMs).toBe(60)
  // Nothing was seen meanwhile.
  Object.assign(histogram, { count: 0, mean: Number.NaN })
  now = 200
  expect(delay.delayMs).toBe(60)
  Object.assign(histogram, { count: 1, mean: 9e6 })
  expect(delay.delayMs).toBe(0)
})

test('a process begins as one that is not late', () => {
  expect(watchLoopDelay().delayMs).toBe(0)
})
