import type { Check } from '../../support/scenario.ts'
import {
  callsPerSecond,
  cpuMicroseconds,
  mainThreadMicroseconds,
  p50Ms,
  ratioOf,
  type Spread,
  slotsOf,
  spreadOf,
} from '../load/figures.ts'
import { medianAtLeast, medianAtMost, noneFailed, sameAsItself } from '../load/marks.ts'
import type { Measured } from '../load/rounds.ts'
import { NAMES, withoutWrites } from './names.ts'

/** Calls at full load, everything pinned. `services` are the names of those measured. */
export function judgeCalls(measured: Measured, services: readonly string[]): Check[] {
  const ratio = (name: string, base: string) => ratioOf(measured, [name, base], callsPerSecond)
  const ofEach = services.flatMap((name) => [
    medianAtLeast(`${name}, calls/s over the proxy’s`, ratio(name, NAMES.proxy), 0.3),
    medianAtMost(
      `${name}, CPU per call over the proxy’s`,
      ratioOf(measured, [name, NAMES.proxy], cpuMicroseconds),
      3.3,
    ),
    medianAtMost(`${name}, share of its main thread that writing takes`, writingShare(measured, name), 0.25),
  ])
  return [
    sameAsItself('the proxy against itself, calls/s', ratio(NAMES.proxyAgain, NAMES.proxy)),
    ...ofEach,
    noneFailed('calls that failed', measured, [...measured.keys()]),
  ]
}

/** With batches against without, where that was measured: the whole call, not the write alone. */
export function judgeBatches(measured: Measured): Check[] {
  if (!measured.has(NAMES.withoutBatches)) return []
  const ratio = ratioOf(measured, [NAMES.sqlite, NAMES.withoutBatches], callsPerSecond)
  return [medianAtLeast('calls/s with batches over one transaction each, on SQLite', ratio, 1.5)]
}

/** At an endpoint that takes 20 ms. */
export function judgeSlow(measured: Measured, services: readonly string[]): Check[] {
  const ofEach = services.map((name) =>
    medianAtMost(`${name}, p50 over the proxy’s, 20 ms`, ratioOf(measured, [name, NAMES.proxy], p50Ms), 1.25),
  )
  return [...ofEach, noneFailed('calls that failed, 20 ms', measured, [...measured.keys()])]
}

/** Execute of one step against the peer's chat proxy. Its own failures are its own affair, and stand in the table. */
export function judgeExecute(measured: Measured, services: readonly string[]): Check[] {
  const ofEach = services.map((name) =>
    medianAtLeast(
      `execute of ${name} over the peer’s calls/s`,
      ratioOf(measured, [name, NAMES.peer], callsPerSecond),
      5,
    ),
  )
  return [...ofEach, noneFailed('executes that failed', measured, services)]
}

/** Main-thread time that writing adds to a call, times the calls of a second. */
export function writingShare(measured: Measured, name: string): Spread {
  const others = slotsOf(measured, withoutWrites(name))
  return spreadOf(
    slotsOf(measured, name).map((slot, round) => {
      const other = others[round]
      if (other === undefined) return Number.NaN
      const added = mainThreadMicroseconds(slot) - mainThreadMicroseconds(other)
      return (added * callsPerSecond(slot)) / 1e6
    }),
  )
}
