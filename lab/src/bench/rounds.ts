import type { PostgresCluster } from '../support/postgres-cluster.ts'
import { usageOf } from '../support/process-usage.ts'
import { atLeast, atMost, type Check, exactly, type Table } from '../support/scenario.ts'
import { median, rounded, sum } from '../support/statistics.ts'
import type { LoadResult } from './wrk.ts'

/** Processor time so far, milliseconds. */
export interface Cpu {
  processMs: number
  databaseMs: number
}

export function cpuOf(pid: number, cluster: PostgresCluster | null = null): Cpu {
  return { processMs: usageOf(pid).cpuMs, databaseMs: cluster?.cpuMs() ?? 0 }
}

/** The result of one contender in one round. */
export interface Slot extends LoadResult, Cpu {}

export type Measured = ReadonlyMap<string, readonly Slot[]>

export type Figure = (slot: Slot) => number

export const callsPerSecond: Figure = ({ requests, seconds }) => requests / seconds
export const cpuMicroseconds: Figure = ({ processMs, requests }) => (processMs * 1000) / requests
export const p50Ms: Figure = (slot) => slot.p50Ms

/** A figure of several rounds. */
export interface Spread {
  median: number
  min: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** `0.93 [0.90–0.98]`. */
export function showSpread(spread: Spread): string {
  return `${rounded(spread.median)} [${rounded(spread.min)}–${rounded(spread.max)}]`
}

/** Round by round, the figure of one over that of the other. */
export function ratioOf(measured: Measured, [name, base]: readonly [string, string], figure: Figure): Spread {
  const bases = slotsOf(measured, base).map(figure)
  return spreadOf(slotsOf(measured, name).map((slot, round) => figure(slot) / (bases[round] ?? Number.NaN)))
}

export function slotsOf(measured: Measured, name: string): readonly Slot[] {
  const slots = measured.get(name)
  if (slots === undefined || slots.length === 0) throw new Error(`${name} was not measured`)
  return slots
}

/** How many requests of a contender were answered in all. */
export function answeredIn(sections: readonly Measured[], name: string): number {
  return sum(sections.flatMap((measured) => measured.get(name) ?? []).map(({ requests }) => requests))
}

export function medianAtLeast(what: string, spread: Spread, limit: number): Check {
  return { ...atLeast(what, spread.median, limit), measured: showSpread(spread) }
}

export function medianAtMost(what: string, spread: Spread, limit: number): Check {
  return { ...atMost(what, spread.median, limit), measured: showSpread(spread) }
}

/** None may have been refused or broken off: failures are fast and worth nothing. */
export function noneFailed(what: string, measured: Measured, names: readonly string[]): Check {
  const slots = names.flatMap((name) => slotsOf(measured, name))
  const failed = sum(slots.map(({ refused, broken }) => refused + broken))
  return { ...exactly(what, failed, 0), measured: `${failed} of ${sum(slots.map(({ requests }) => requests))}` }
}

/** One row for each candidate; ratios are to `base`, round by round, the rest are medians of the rounds. */
export function loadTable(measured: Measured, base: string): Table {
  const rows = [...measured].map(([name, slots]) => {
    const shown = (figure: Figure) => rounded(median(slots.map(figure)))
    const ratio = (figure: Figure) => showSpread(ratioOf(measured, [name, base], figure))
    return [
      name,
      shown(callsPerSecond),
      ratio(callsPerSecond),
      shown(cpuMicroseconds),
      ratio(cpuMicroseconds),
      shown(({ databaseMs, requests }) => (databaseMs * 1000) / requests),
      shown(p50Ms),
      shown((slot) => slot.p99Ms),
      String(sum(slots.map(({ refused, broken }) => refused + broken))),
    ]
  })
  const cpu = ['CPU µs a call', 'ratio [min–max]', 'database µs']
  return { head: ['', 'calls/s', 'ratio [min–max]', ...cpu, 'p50 ms', 'p99 ms', 'failed'], rows }
}
