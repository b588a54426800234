import { expect, test } from 'vitest'
import { stoppedAfter, TimeLimitError, withinTime } from '../../src/deployments/time-limit.ts'

const idle = new Int32Array(new SharedArrayBuffer(4))

function keepBusy(): never {
  for (;;) Math.random()
}

test('work that ends in its time gives what it gives, and throws what it throws', () => {
  expect(withinTime(1_000, () => 'done')).toBe('done')
  const fault = () =>
    withinTime(1_000, () => {
      throw new RangeError('too deep')
    })
  expect(fault).toThrow(new RangeError('too deep'))
})

test('work that never ends is stopped', () => {
  let times = 0
  const work = () => {
    times += 1
    return keepBusy()
  }
  expect(() => withinTime(200, work)).toThrow(TimeLimitError)
  // Twice where the machine kept the processor from it.
  expect(times).toBeLessThanOrEqual(2)
})

test('work that was kept from the processor is begun anew, once', () => {
  let times = 0
  const standStill = (upTo: number) => {
    times += 1
    if (times <= upTo) Atomics.wait(idle, 0, 0, 10_000)
    return times
  }
  // So long that a moment without a processor, or some work of the engine's own, does not decide it.
  expect(withinTime(200, () => standStill(1))).toBe(2)
  times = 0
  expect(() => withinTime(200, () => standStill(100))).toThrow(TimeLimitError)
  expect(times).toBe(2)
})

test('what was stopped says which part of its time it had a processor for, and whether that was its share', () => {
  const shareOf = (work: () => void) => {
    try {
      stoppedAfter(200, work)
    } catch (error) {
      if (error instanceof TimeLimitError) return error.share
    }
    throw new Error('was not stopped')
  }
  const idled = shareOf(() => Atomics.wait(idle, 0, 0, 10_000))
  expect(idled).toBeLessThan(0.5)
  // How much more that is, other programs decide.
  expect(shareOf(keepBusy)).toBeGreaterThan(idled)
  expect(new TimeLimitError('slow', 0.7).hadFairShare).toBe(true)
  expect(new TimeLimitError('slow', 0.69).hadFairShare).toBe(false)
})
