/** A row of the coverage table: a statement of the interface and the files that serve it. */
export interface CoverageRow {
  id: string
  statement: string
  /** From the root. None where it is not served yet. */
  servedIn: string[]
  /** Why it is not served yet, or null where it is. */
  notYet: string | null
}

/** A test that holds a statement: `file` is from the root. */
export interface Holder {
  file: string
  title: string
}

const NOT_YET = /^not yet: (.+)$/
const FROM_ROOT = /^(test|examples|bench|docs|lab)\//
const NO_ROW = /^\|( id |-)/
const isRow = (line: string) => line.startsWith('|') && !NO_ROW.test(line)

/** Every row of the page’s tables. Throws where a line of a table is no row of four cells. */
export function readCoverage(page: string): CoverageRow[] {
  return page.split('\n').filter(isRow).map(readRow)
}

/** The page with the last column written anew: the tests that hold each statement, by its id. */
export function withHolders(page: string, holders: ReadonlyMap<string, readonly Holder[]>): string {
  const write = (line: string) => {
    const [, id = '', statement, served] = cellsOf(line)
    const held = (holders.get(id) ?? []).map(
      ({ file, title }) => `\`${shown(file)}\` › ${title.replaceAll('|', '\\|')}`,
    )
    return `| ${[id, statement, served, held.join('<br>') || '–'].join(' | ')} |`
  }
  return page
    .split('\n')
    .map((line) => (isRow(line) ? write(line) : line))
    .join('\n')
}

function readRow(line: string): CoverageRow {
  const cells = cellsOf(line).map((cell) => cell.replaceAll('\\|', '|'))
  const [before, id, statement, served, held, after] = cells
  if (before !== '' || !id || !statement || !served || !held || after !== '' || cells.length !== 6) {
    throw new Error(`a row has four cells, none of them empty (write – for no test): ${line}`)
  }
  const [, notYet = null] = NOT_YET.exec(served) ?? []
  const paths = served.split('<br>').map((path) => pathIn(path.trim()))
  return { id, statement, servedIn: notYet === null ? paths : [], notYet }
}

function cellsOf(line: string): string[] {
  return line.split(/(?<!\\)\|/).map((cell) => cell.trim())
}

// Paths stand below `packages/`, but for those of folders of the root.
function pathIn(cell: string): string {
  const path = cell.replace(/^`(.+)`$/, '$1')
  return FROM_ROOT.test(path) ? path : `packages/${path}`
}

function shown(path: string): string {
  return path.replace(/^packages\//, '')
}
