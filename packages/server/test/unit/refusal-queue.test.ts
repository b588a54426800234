import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RefusalQueue } from '../../src/http/refusal-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function queueOf(count: number) {
  const queue = new RefusalQueue()
  const sent: number[] = []
  for (let id = 0; id < count; id += 1) queue.add(() => sent.push(id))
  return { queue, sent }
}

test('refusals leave in the order of arrival, ten every ten milliseconds, the first ones after ten', () => {
  const { sent } = queueOf(25)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(10)
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  vi.advanceTimersByTime(20)
  expect(sent).toEqual(Array.from({ length: 25 }, (_, id) => id))
})

test('an empty queue keeps no timer, and starts again with the next refusal', () => {
  const { queue, sent } = queueOf(1)
  vi.advanceTimersByTime(10)
  expect(vi.getTimerCount()).toBe(0)
  queue.add(() => sent.push(99))
  vi.advanceTimersByTime(10)
  expect(sent).toEqual([0, 99])
})

test('twenty thousand refusals have left after fifteen seconds', () => {
  const { sent } = queueOf(20_000)
  vi.advanceTimersByTime(15_000)
  expect(sent).toHaveLength(20_000)
})
