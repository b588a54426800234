import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'
import { SCROLLABLE } from './scrollable.ts'

export interface Column<Row> {
  heading: string
  cell: (row: Row) => ReactNode
  /** Figures stand under each other. */
  isNumber?: boolean
  /** Left out where the screen is narrow, or wherever it is not wide. */
  isExtra?: boolean | 'wide'
}

interface TableProps<Row> {
  /** What it lists, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Whether a click anywhere on a row follows its first link. */
  hasRowLinks?: boolean
}

/** Rows and columns; where they do not fit they scroll by themselves, and the page does not. */
export function Table<Row>({ caption, columns, rows, rowKey, hasRowLinks = false }: TableProps<Row>): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null)
  useRowLinks(body, hasRowLinks)
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
                  'px-3 py-2 text-xs first:pl-5 last:pr-5 sm:px-4 font-medium whitespace-nowrap text-muted',
                  ...places(column),
                )}
              >
                {column.heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={classNames(
                'border-b border-line last:border-0 hover:bg-subtle/60',
                hasRowLinks && 'cursor-pointer',
              )}
            >
              {columns.map((column) => (
                <td
                  key={column.heading}
                  className={classNames('px-3 py-2.5 align-middle first:pl-5 last:pr-5 sm:px-4', ...places(column))}
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

// The keyboard has the link itself; a press on a control, or one that marks text, is meant otherwise.
function useRowLinks(body: RefObject<HTMLElement | null>, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const stop = new AbortController()
    body.current?.addEventListener(
      'click',
      ({ target }) => {
        if (!(target instanceof Element) || target.closest('a, button') || getSelection()?.isCollapsed === false) return
        target.closest('tr')?.querySelector('a')?.click()
      },
      { signal: stop.signal },
    )
    return () => stop.abort()
  }, [body, isOn])
}

function places({ isNumber = false, isExtra = false }: Pick<Column<never>, 'isNumber' | 'isExtra'>) {
  return [
    isNumber ? 'text-right whitespace-nowrap tabular-nums' : 'text-left',
    isExtra && (isExtra === 'wide' ? 'max-xl:hidden' : 'max-md:hidden'),
  ]
}
