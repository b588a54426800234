import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCoverage } from './support/coverage-table.ts'
import { ROOT } from './support/source-tree.ts'
import { titlesIn } from './support/test-titles.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const rows = readCoverage(read('docs/interface-coverage.md'))
const served = rows.filter(({ notYet }) => notYet === null)

describe('the table of what the interface says', () => {
  test('has a row for each statement, under an id of its own', () => {
    expect(rows.length).toBeGreaterThan(300)
    expect(rows.filter(({ id }) => !/^[A-Z]{2,4}-\d{2}$/.test(id))).toEqual([])
    const ids = rows.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const statements = rows.map(({ statement }) => statement)
    expect(statements.filter((statement, index) => statements.indexOf(statement) !== index)).toEqual([])
  })

  test('names the files that serve it, and they are there', () => {
    expect(served.filter(({ servedIn }) => servedIn.length === 0)).toEqual([])
    const gone = served.flatMap(({ id, servedIn }) =>
      servedIn
        .filter((path) => !/\.[a-z]+$/.test(path) || !existsSync(join(ROOT, path)))
        .map((path) => `${id} ${path}`),
    )
    expect(gone).toEqual([])
  })

  test('names the tests that hold it, and they are there', () => {
    expect(served.filter(({ heldBy }) => heldBy.length === 0).map(({ id }) => id)).toEqual([])
    const known = new Map<string, Set<string>>()
    const titles = (path: string) => {
      const found = known.get(path) ?? (existsSync(join(ROOT, path)) ? titlesIn(read(path)) : new Set<string>())
      known.set(path, found)
      return found
    }
    const gone = served.flatMap(({ id, heldBy }) =>
      heldBy.flatMap((held) => {
        if (held === null) return [`${id}: a test is written “\`file\` › title”`]
        const isThere = held.file.endsWith('.test.ts') && titles(held.file).has(held.title)
        return isThere ? [] : [`${id}: ${held.file} › ${held.title}`]
      }),
    )
    expect(gone).toEqual([])
  }, 60_000)

  test('gives a reason for what is not served yet, and claims no test for it', () => {
    const bare = rows.filter(({ notYet, heldBy }) => notYet !== null && (notYet.length < 30 || heldBy.length > 0))
    expect(bare.map(({ id }) => id)).toEqual([])
  })

  test('speaks of every route', () => {
    const routes = [
      ...read('packages/server/test/http/planes.test.ts').matchAll(/\['[a-z-]+', '([A-Z]+)', '(\/[^']*)'\]/g),
    ]
    expect(routes.length).toBeGreaterThan(15)
    const statements = rows.map(({ statement }) => statement).join('\n')
    const unspoken = routes
      .map(([, method, path = '']) => `\`${method} ${path.replaceAll(/:([a-z]+)([A-Z][a-z]+)?/g, inWords)}\``)
      .filter((route) => !statements.includes(route))
    expect(unspoken).toEqual([])
  })
})

/** `:runtimeId` as the pages write it: `<runtime_id>`. */
function inWords(_: string, first: string, second?: string): string {
  return `<${first}${second === undefined ? '' : `_${second.toLowerCase()}`}>`
}
