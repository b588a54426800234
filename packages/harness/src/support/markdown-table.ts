/** Figures for a page. The first column names the row; the others are set to the right. */
export interface Table {
  /** Tells the tables of one scenario apart. */
  name: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface MeasuredTable {
  program: string
  scenario: string
  table: Table
}

export function toMarkdown({ head, rows }: Table): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/**
 * Puts each table below its mark, `<!-- measured: bench broker calls -->`, in place of the one that stands there.
 * Returns the page, and the marks that it does not have.
 */
export function refreshPage(
  page: string,
  measured: readonly MeasuredTable[],
): { page: string; unplaced: readonly string[] } {
  const unplaced: string[] = []
  let refreshed = page
  for (const { program, scenario, table } of measured) {
    const mark = `<!-- measured: ${program} ${scenario} ${table.name} -->`
    if (refreshed.includes(mark)) refreshed = withTable(refreshed, mark, toMarkdown(table))
    else unplaced.push(mark)
  }
  return { page: refreshed, unplaced }
}

function withTable(page: string, mark: string, markdown: string): string {
  const after = page.indexOf(mark) + mark.length
  const following = page.slice(after)
  const former = /^\s*\n(\|[^\n]*\n)+/.exec(following)?.[0] ?? '\n'
  return `${page.slice(0, after)}\n\n${markdown}${following.slice(former.length)}`
}
