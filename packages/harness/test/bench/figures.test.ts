import { expect, test } from 'vitest'
import { callsPerSecond, cpuMicroseconds, ratioOf, showSpread } from '../../src/bench/load/figures.ts'
import { noneFailed, sameAsItself } from '../../src/bench/load/marks.ts'
import { measuredOf, slot } from './slots.ts'

test('ratios are of the same round, whatever the other rounds were like', () => {
  const measured = measuredOf({
    ours: [slot({ requests: 80 }), slot({ requests: 40 }), slot({ requests: 27 })],
    base: [slot({ requests: 100 }), slot({ requests: 50 }), slot({ requests: 30 })],
  })
  const ratio = ratioOf(measured, ['ours', 'base'], callsPerSecond)
  expect(ratio.median).toBeCloseTo(0.8)
  expect(showSpread(ratio)).toBe('0.8 [0.8–0.9]')
})

test('processor time is counted by request', () => {
  expect(cpuMicroseconds(slot({ requests: 1_000, processMs: 250 }))).toBe(250)
})

test('what was not measured is not compared', () => {
  expect(() => ratioOf(measuredOf({ ours: [slot({})] }), ['ours', 'base'], callsPerSecond)).toThrow('base')
})

test('one broken or refused call is one too many', () => {
  expect(noneFailed('failed', measuredOf({ a: [slot({}), slot({})] }), ['a']).passed).toBe(true)
  expect(noneFailed('failed', measuredOf({ a: [slot({}), slot({ broken: 1 })] }), ['a']).passed).toBe(false)
  expect(noneFailed('failed', measuredOf({ a: [slot({ refused: 1 })] }), ['a']).passed).toBe(false)
})

test('a machine on which a thing is not as fast as itself says nothing', () => {
  expect(sameAsItself('', { median: 1.02, min: 0.7, max: 1.4 }).passed).toBe(true)
  expect(sameAsItself('', { median: 0.75, min: 0.7, max: 0.8 }).passed).toBe(false)
  expect(sameAsItself('', { median: Number.NaN, min: 0, max: 1 }).passed).toBe(false)
})
