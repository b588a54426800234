import type { Grid } from './markdown-table.ts'

/** Rows that are known beforehand, and what stands in a cell that nobody has measured yet. */
export interface Recorded {
  /** Of the columns that say what a row is about. */
  keyHead: readonly [string, ...string[]]
  columns: readonly string[]
  rows: readonly { key: readonly [string, ...string[]]; cells: readonly string[] }[]
}

/** One figure: its row by the first cell, its column by the head. */
export interface Figure {
  row: string
  column: string
  text: string
}

/** The table of a record: this run's figures, and of the former table what this run did not measure. */
export function recordTable(record: Recorded, former: Grid | null, figures: readonly Figure[]): Grid {
  const head = [...record.keyHead, ...record.columns]
  const kept = former !== null && former.head.join() === head.join() ? former.rows : []
  const rows = record.rows.map(({ key, cells }) => {
    const before = kept.find(([name]) => name === key[0])?.slice(key.length)
    const measured = record.columns.map(
      (column, index) =>
        figures.findLast((figure) => figure.row === key[0] && figure.column === column)?.text ??
        before?.[index] ??
        cells[index] ??
        '',
    )
    return [...key, ...measured]
  })
  return { head, rows }
}
