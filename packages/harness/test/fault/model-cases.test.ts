import { expect, test } from 'vitest'
import { askingTurn, bytesCut, modelCases } from '../../src/fault/model-faults/cases.ts'
import { createRandom } from '../../src/support/random.ts'

test('at full scale the message is cut at each of its bytes, below it at so many of them', () => {
  const { finishedAt } = askingTurn()
  const cutOf = (scale: number, leaveOut = 0) => {
    const cases = modelCases(createRandom(1), (full) => Math.max(1, Math.round(full * scale)))
    return bytesCut(cases, new Set(cases.slice(leaveOut).map(({ tag }) => tag)))
  }
  expect(cutOf(1)).toBe(finishedAt)
  expect(cutOf(0.05)).toBe(Math.round(finishedAt * 0.05))
  expect(cutOf(1, 500)).toBeLessThan(finishedAt)
})
