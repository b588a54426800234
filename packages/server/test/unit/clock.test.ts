import { expect, test } from 'vitest'
import { monotonicClock, systemClock } from '../../src/lib/clock.ts'

// PostgreSQL refuses a fraction where a time is stored.
test('clocks count whole milliseconds', () => {
  const readings = Array.from({ length: 1_000 }, () => [monotonicClock.now(), systemClock.now()]).flat()
  expect(readings.filter((reading) => !Number.isInteger(reading))).toEqual([])
})
