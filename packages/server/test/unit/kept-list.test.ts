import { expect, test } from 'vitest'
import { KeptList } from '../../src/executions/kept-list.ts'

test('keeps so many and drops the rest, and tells of the first of each crowd', () => {
  let told = 0
  const list = new KeptList<number>(2, () => {
    told += 1
  })
  for (const item of [1, 2, 3, 4]) list.add(item)
  expect([list.items, told]).toEqual([[1, 2], 1])
  list.removeFirst()
  for (const item of [5, 6]) list.add(item)
  expect([list.takeAll(), list.items, told]).toEqual([[2, 5], [], 2])
})
