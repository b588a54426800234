import type { Table } from '../../support/markdown-table.ts'
import { rounded } from '../../support/statistics.ts'
import {
  callsPerSecond,
  cpuMicroseconds,
  databaseMicroseconds,
  type Figure,
  figureOf,
  mainThreadMicroseconds,
  p50Ms,
  p99Ms,
  ratioOf,
  showSpread,
} from '../load/figures.ts'
import type { Measured } from '../load/rounds.ts'

const HEAD = [
  '',
  'calls/s',
  'ratio [min–max]',
  'CPU µs a call',
  'ratio [min–max]',
  'main thread µs',
  'database µs',
  'p50 ms',
  'p99 ms',
  'failed',
]

/** One row for each candidate; ratios are to `base`, round by round, and everything else is the median of the rounds. */
export function loadTable(name: string, measured: Measured, base: string): Table {
  const rows = [...measured.keys()].map((candidate) => {
    const shown = (figure: Figure) => rounded(figureOf(measured, candidate, figure).median)
    const ratio = (figure: Figure) => showSpread(ratioOf(measured, [candidate, base], figure))
    return [
      candidate,
      String(Math.round(figureOf(measured, candidate, callsPerSecond).median)),
      ratio(callsPerSecond),
      shown(cpuMicroseconds),
      ratio(cpuMicroseconds),
      shown(mainThreadMicroseconds),
      shown(databaseMicroseconds),
      shown(p50Ms),
      shown(p99Ms),
      String((measured.get(candidate) ?? []).reduce((sum, { refused, broken }) => sum + refused + broken, 0)),
    ]
  })
  return { name, head: HEAD, rows }
}
