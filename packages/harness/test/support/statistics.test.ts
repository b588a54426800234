import { expect, test } from 'vitest'
import { ksDistance } from '../../src/support/statistics.ts'

test.each([
  [[1, 2, 3], [1, 2, 3], 0],
  [[1, 2, 3, 4], [5, 6], 1],
  [[1, 1, 2, 2], [1, 2, 2, 2], 0.25],
  [[1, 2, 3, 4], [3, 4, 5, 6], 0.5],
])('the distance of %j and %j is %d, either way round', (a, b, expected) => {
  expect(ksDistance(a, b)).toBe(expected)
  expect(ksDistance(b, a)).toBe(expected)
})
