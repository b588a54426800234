import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../support/source-tree.ts'

/** Pages whose tables are looked up, a row at a time, and not read: their rows are not counted. */
const REFERENCE = [
  'docs/reference/api.md',
  'docs/reference/cli.md',
  'docs/reference/configuration.md',
  'docs/reference/errors.md',
  'docs/internals/interface-coverage.md',
  'docs/operating/install.md',
  'docs/troubleshooting.md',
]
const FIGURES = ['docs/internals/benchmarks.md', 'docs/internals/hostile-input.md', 'docs/internals/reliability.md', 'docs/internals/scale.md']

const markdownIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

/** A word is text between blanks with a letter or a digit, samples included. */
function wordsOf(page: string): number {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n')
  const read = REFERENCE.includes(page) ? lines.filter((line) => !line.startsWith('|')) : lines
  return read.flatMap((line) => line.split(/\s+/)).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

const longerThan = (most: number, pages: readonly string[]) =>
  pages.map((page) => ({ page, words: wordsOf(page) })).filter(({ words }) => words > most)

test('the documentation has at most 35,000 words, rows of reference tables aside', () => {
  const pages = markdownIn('docs')
  expect(pages.length).toBeGreaterThan(20)
  expect(pages.map(wordsOf).reduce((sum, words) => sum + words)).toBeLessThanOrEqual(35_000)
})

test('a page of figures has at most 1,500 words, a decision 400, ARCHITECTURE 1,800', () => {
  expect(longerThan(1_500, FIGURES)).toEqual([])
  expect(longerThan(400, markdownIn('docs/internals/decisions'))).toEqual([])
  expect(longerThan(1_800, ['ARCHITECTURE.md'])).toEqual([])
})
