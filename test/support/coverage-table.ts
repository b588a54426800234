/** A row of the coverage table: a statement of the interface, the files that serve it, the tests that hold it. */
export interface CoverageRow {
  id: string
  statement: string
  /** From the root. None where it is not served yet. */
  servedIn: string[]
  /** Null where a cell is no `file › title`. */
  heldBy: ({ file: string; title: string } | null)[]
  /** Why it is not served yet, or null where it is. */
  notYet: string | null
}

const NOT_YET = /^not yet: (.+)$/
const FROM_ROOT = /^(test|examples|bench|docs|lab)\//

/** Every row of the page’s tables. Throws where a line of a table is no row of four cells. */
export function readCoverage(page: string): CoverageRow[] {
  const lines = page.split('\n').filter((line) => line.startsWith('|') && !/^\|( id |-)/.test(line))
  return lines.map(readRow)
}

function readRow(line: string): CoverageRow {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
  const [before, id, statement, served, held, after] = cells
  if (before !== '' || !id || !statement || !served || !held || after !== '' || cells.length !== 6) {
    throw new Error(`this is no row of four cells: ${line}`)
  }
  const [, notYet = null] = NOT_YET.exec(served) ?? []
  return {
    id,
    statement,
    servedIn: notYet === null ? lines(served).map(pathIn) : [],
    heldBy: held === '–' ? [] : lines(held).map(readTest),
    notYet,
  }
}

function lines(cell: string): string[] {
  return cell.split('<br>').map((line) => line.trim())
}

function readTest(cell: string): CoverageRow['heldBy'][number] {
  const [, file, title] = /^(`[^`]+`) › (.+)$/.exec(cell) ?? []
  return file === undefined || title === undefined ? null : { file: pathIn(file), title }
}

// Paths stand below `packages/`, but for those of folders of the root.
function pathIn(cell: string): string {
  const path = cell.replace(/^`(.+)`$/, '$1')
  return FROM_ROOT.test(path) ? path : `packages/${path}`
}
