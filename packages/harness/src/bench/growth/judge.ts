import type { Table } from '../../support/markdown-table.ts'
import { atMost, type Check } from '../../support/scenario.ts'
import { rounded } from '../../support/statistics.ts'
import type { Times } from './turns.ts'

/** What one kind of request takes on one history. */
interface Taken extends Times {
  /** Processor time of the server and the database. */
  cpuMs: number
}

/** One kind of request on every history, the smallest first. */
export interface GrowthRow {
  name: string
  times: readonly Taken[]
}

const PASS_MARK = 3

/** The worst of all histories in relation to the smallest. */
export function growthOf({ times }: GrowthRow): { p50: number; p99: number; cpu: number } {
  const [smallest, ...larger] = times
  if (smallest === undefined || larger.length === 0) throw new Error('there is nothing to compare')
  return {
    p50: Math.max(...larger.map(({ p50Ms }) => p50Ms / smallest.p50Ms)),
    p99: Math.max(...larger.map(({ p99Ms }) => p99Ms / smallest.p99Ms)),
    cpu: Math.max(...larger.map(({ cpuMs }) => cpuMs / smallest.cpuMs)),
  }
}

export function isWithinMark(row: GrowthRow): boolean {
  return worstOf(row) <= PASS_MARK
}

/** The one whose worst ratio is the least: a scan is slow every time, and what comes and goes is the machine's. */
export function bestOf(tries: readonly [GrowthRow, ...GrowthRow[]]): GrowthRow {
  return tries.reduce((best, one) => (worstOf(one) < worstOf(best) ? one : best))
}

function worstOf(row: GrowthRow): number {
  return Math.max(...Object.values(growthOf(row)))
}

export function checkGrowth(rows: readonly GrowthRow[]): Check[] {
  return rows.flatMap((row) => {
    const growth = growthOf(row)
    return [
      atMost(`${row.name}: p50, worst size to smallest`, growth.p50, PASS_MARK),
      atMost(`${row.name}: p99, worst size to smallest`, growth.p99, PASS_MARK),
      atMost(`${row.name}: processor time, worst size to smallest`, growth.cpu, PASS_MARK),
    ]
  })
}

/** Milliseconds of each kind of request at every size. */
export function growthTable(name: string, sizes: readonly number[], rows: readonly GrowthRow[]): Table {
  const heads = sizes.map((size) => `${size.toLocaleString('en')}: p50 / p99, CPU`)
  return {
    name,
    head: ['ms', ...heads, 'ratio of p50', 'of p99', 'of CPU'],
    rows: rows.map((row) => {
      const cells = row.times.map(
        ({ p50Ms, p99Ms, cpuMs }) => `${rounded(p50Ms)} / ${rounded(p99Ms)}, ${rounded(cpuMs)}`,
      )
      const { p50, p99, cpu } = growthOf(row)
      return [row.name, ...cells, ...[p50, p99, cpu].map(rounded)]
    }),
  }
}
