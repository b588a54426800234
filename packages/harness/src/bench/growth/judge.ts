import { atMost, type Check } from '../../support/scenario.ts'
import { rounded } from '../../support/statistics.ts'
import type { Times } from './turns.ts'

/** One kind of request on every history, the smallest first. */
export interface GrowthRow {
  name: string
  times: readonly Times[]
}

const PASS_MARK = 3

/** The worst of all histories in relation to the smallest. */
export function growthOf({ times }: GrowthRow): { p50: number; p99: number } {
  const [smallest, ...larger] = times
  if (smallest === undefined || larger.length === 0) throw new Error('there is nothing to compare')
  return {
    p50: Math.max(...larger.map(({ p50Ms }) => p50Ms / smallest.p50Ms)),
    p99: Math.max(...larger.map(({ p99Ms }) => p99Ms / smallest.p99Ms)),
  }
}

export function isWithinMark(row: GrowthRow): boolean {
  const { p50, p99 } = growthOf(row)
  return p50 <= PASS_MARK && p99 <= PASS_MARK
}

/** The one whose worst ratio is the least: a scan is slow every time, and what comes and goes is the machine's. */
export function bestOf(tries: readonly [GrowthRow, ...GrowthRow[]]): GrowthRow {
  const worst = (row: GrowthRow) => Math.max(growthOf(row).p50, growthOf(row).p99)
  return tries.reduce((best, one) => (worst(one) < worst(best) ? one : best))
}

export function checkGrowth(rows: readonly GrowthRow[]): Check[] {
  return rows.flatMap((row) => {
    const growth = growthOf(row)
    return [
      atMost(`${row.name}: p50, worst size to smallest`, growth.p50, PASS_MARK),
      atMost(`${row.name}: p99, worst size to smallest`, growth.p99, PASS_MARK),
    ]
  })
}

/** A Markdown table of milliseconds. */
export function growthTable(sizes: readonly number[], rows: readonly GrowthRow[]): string[] {
  const heads = sizes.map((size) => `${size.toLocaleString('en')}: p50 / p99`)
  return [
    `| request | ${heads.join(' | ')} | ratio of p50 | of p99 |`,
    `|---|${'---|'.repeat(sizes.length + 2)}`,
    ...rows.map((row) => {
      const cells = row.times.map(({ p50Ms, p99Ms }) => `${rounded(p50Ms)} / ${rounded(p99Ms)}`)
      const growth = growthOf(row)
      return `| ${row.name} | ${cells.join(' | ')} | ${rounded(growth.p50)} | ${rounded(growth.p99)} |`
    }),
  ]
}
