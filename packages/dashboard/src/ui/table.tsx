import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { SCROLLABLE } from './scrollable.ts'

export interface Column<Row> {
  heading: string
  cell: (row: Row) => ReactNode
  /** Figures stand under each other. */
  isNumber?: boolean
  /** Left out where the screen is narrow. */
  isExtra?: boolean
}

interface TableProps<Row> {
  /** What it lists, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
}

/** Rows and columns; where they do not fit they scroll by themselves, and the page does not. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>): ReactNode {
  return (
    <section aria-label={`${caption}, as a table`} className="relative overflow-x-auto" {...SCROLLABLE}>
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.heading}
                scope="col"
                className={classNames(
                  'px-3 py-2 text-xs first:pl-5 last:pr-5 sm:px-5 font-medium whitespace-nowrap text-muted',
                  ...places(column),
                )}
              >
                {column.heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-b border-line last:border-0 hover:bg-subtle/60">
              {columns.map((column) => (
                <td
                  key={column.heading}
                  className={classNames('px-3 py-2.5 align-middle first:pl-5 last:pr-5 sm:px-5', ...places(column))}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function places({ isNumber = false, isExtra = false }: Pick<Column<never>, 'isNumber' | 'isExtra'>) {
  return [isNumber ? 'text-right whitespace-nowrap tabular-nums' : 'text-left', isExtra && 'max-md:hidden']
}
