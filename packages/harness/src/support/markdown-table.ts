/** Figures for a page. The first column names the row; the others are set to the right. */
export interface Table {
  /** Tells the tables of one scenario apart. */
  name: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

export type Grid = Pick<Table, 'head' | 'rows'>

export function toMarkdown({ head, rows }: Grid): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** A text as one cell: its first line, shortened, with no bar that would end the cell. */
export function toCell(text: string): string {
  const [line = ''] = text.split('\n')
  const short = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line
  return short.replaceAll('|', '\\|')
}

const MOST_CHARACTERS = 160

/** Where a page has a table of the harness's. */
export function markOf(name: string): string {
  return `<!-- measured: ${name} -->`
}

const MARK = /<!-- measured: (.+?) -->/g

/** The names of all tables that a page has a place for, in their order. */
export function marksIn(page: string): string[] {
  return [...page.matchAll(MARK)].map(([, name = '']) => name)
}

/** The page with another table below a mark of its: what `change` makes of the one that stands there, null for none. */
export function withTable(page: string, mark: string, change: (former: Grid | null) => Grid): string {
  const after = page.indexOf(mark) + mark.length
  const following = page.slice(after)
  const former = TABLE.exec(following)?.[0]
  const table = toMarkdown(change(former === undefined ? null : readTable(former)))
  return `${page.slice(0, after)}\n\n${table}${following.slice(former?.length ?? 1)}`
}

const TABLE = /^\s*\n(\|[^\n]*\n)+/

function readTable(text: string): Grid {
  const [head = [], , ...rows] = text.trim().split('\n').map(cellsOf)
  return { head, rows }
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}
