import { expect, test } from 'vitest'
import { addedAtTheMedian, askInTurn } from '../../src/bench/latency/turns.ts'

test('each is asked in every turn, and who begins changes', async () => {
  const heard: string[] = []
  const asked = ['a', 'b', 'c'].map((name) => ({ name, ask: async () => void heard.push(name) }))
  const latencies = await askInTurn(asked, 3)
  expect(heard.join('')).toBe('abcbcacab')
  expect([...latencies.values()].map((values) => values.length)).toEqual([3, 3, 3])
})

test('what is added is the difference of the medians', () => {
  const latencies = new Map([
    ['with', [3, 5, 100]],
    ['without', [1, 2, 3]],
  ])
  expect(addedAtTheMedian(latencies, 'with', 'without')).toBe(3)
})

test('nothing measured adds no number', () => {
  expect(addedAtTheMedian(new Map(), 'with', 'without')).toBeNaN()
})
