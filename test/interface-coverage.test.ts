import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Holder, readCoverage, withHolders } from './support/coverage-table.ts'
import { holdingTestsIn } from './support/held-statements.ts'
import { ROOT } from './support/source-tree.ts'

const PAGE = 'docs/internals/interface-coverage.md'
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const rows = readCoverage(read(PAGE))
const served = rows.filter(({ notYet }) => notYet === null)
const holders = findHolders()

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

  // `npm run generate:coverage` writes the column anew: it is this test, told to update what it compares with.
  test('names the tests whose comments say that they hold a statement', async () => {
    const known = new Set(rows.map(({ id }) => id))
    expect([...holders.keys()].filter((id) => !known.has(id))).toEqual([])
    expect(served.filter(({ id }) => !holders.has(id)).map(({ id }) => id)).toEqual([])
    await expect(withHolders(read(PAGE), holders)).toMatchFileSnapshot(join(ROOT, PAGE))
  }, 60_000)

  test('gives a reason for what is not served yet, and claims no test for it', () => {
    const bare = rows.filter(({ id, notYet }) => notYet !== null && (notYet.length < 30 || holders.has(id)))
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

describe('a comment that says which statements a test holds', () => {
  test('belongs to the test below it, whose title has its group where the file has it twice', () => {
    const file = [
      ...[
        "describe('a', () => {",
        '  // holds SVC-01, SVC-02',
        "  test('one', () => {})",
        "  test('none', () => {})",
        '})',
      ],
      ...["describe('b', () => {", '  // Why.', '  // holds API-03', "  test.each([1])('one', () => {})", '})'],
      ...['// holds API-04', "test.skip('skipped', () => {})"],
    ]
    expect(holdingTestsIn(file.join('\n'))).toEqual([
      { title: 'a › one', ids: ['SVC-01', 'SVC-02'] },
      { title: 'b › one', ids: ['API-03'] },
    ])
  })
})

/** The tests that hold each statement, by its id. */
function findHolders(): Map<string, Holder[]> {
  const holders = new Map<string, Holder[]>()
  for (const file of testFiles()) {
    for (const { title, ids } of holdingTestsIn(read(file))) {
      for (const id of ids) holders.set(id, [...(holders.get(id) ?? []), { file, title }])
    }
  }
  return holders
}

function testFiles(): string[] {
  const folders = ['packages', 'examples'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name) => `${kind}/${name}/test`),
  )
  return [...folders, 'lab/test', 'test']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.test.ts') && read(path).includes('// holds '))
    .sort()
}

/** `:runtimeId` as the pages write it: `<runtime_id>`. */
function inWords(_: string, first: string, second?: string): string {
  return `<${first}${second === undefined ? '' : `_${second.toLowerCase()}`}>`
}
