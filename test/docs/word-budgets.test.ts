import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../support/source-tree.ts'

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const pagesIn = (folder: string) => pages.filter((page) => page.startsWith(`docs/${folder}/`))

const FIGURES = ['benchmarks', 'hostile-input', 'reliability', 'scale'].map((name) => `docs/internals/${name}.md`)

/** Pages whose tables are looked up, a row at a time, and not read: their rows are not counted. */
const isLookedUp = (page: string) =>
  page.startsWith('docs/reference/') || /\/(?:README|interface-coverage|troubleshooting)\.md$/.test(page)

/** A word is text between blanks with a letter or a digit, samples included. */
function wordsOf(page: string): number {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n')
  const read = isLookedUp(page) ? lines.filter((line) => !line.startsWith('|')) : lines
  return read.flatMap((line) => line.split(/\s+/)).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

const longerThan = (most: number, among: readonly string[]) =>
  among.map((page) => ({ page, words: wordsOf(page) })).filter(({ words }) => words > most)

test('the documentation has at most 35,000 words, rows of reference tables aside', () => {
  expect(pages.length).toBeGreaterThan(20)
  const counted = longerThan(0, pages).sort((one, other) => other.words - one.words)
  const longest = counted.slice(0, 10).map(({ page, words }) => `${page} ${words}`)
  expect(
    counted.reduce((sum, { words }) => sum + words, 0),
    longest.join(', '),
  ).toBeLessThanOrEqual(35_000)
})

test('there are at most twelve guides, and a guide or a page for operators has at most 1,200 words', () => {
  expect(pagesIn('guides').length).toBeLessThanOrEqual(12)
  expect(longerThan(1_200, [...pagesIn('guides'), ...pagesIn('operating')])).toEqual([])
})

test('a page of figures has at most 1,500 words, a decision 400, ARCHITECTURE 1,800', () => {
  expect(longerThan(1_500, FIGURES)).toEqual([])
  expect(longerThan(400, pagesIn('internals/decisions'))).toEqual([])
  expect(longerThan(1_800, ['ARCHITECTURE.md'])).toEqual([])
})
