import { expect, test } from 'vitest'
import { refreshPage, toMarkdown } from '../../src/support/markdown-table.ts'

const table = { name: 'calls', head: ['', 'calls/s'], rows: [['proxy', '10']] }
const measured = [{ program: 'bench', scenario: 'broker', table }]
const MARK = '<!-- measured: bench broker calls -->'

test('a table names its rows on the left and has its figures on the right', () => {
  expect(toMarkdown(table)).toBe('|  | calls/s |\n| --- | --: |\n| proxy | 10 |\n')
})

test('a measured table takes the place of the one below its mark, and nothing else changes', () => {
  const page = `before\n\n${MARK}\n\n| old | table |\n|---|---|\n| a | 1 |\n| b | 2 |\n\nafter\n\n| another | table |\n`
  const refreshed = refreshPage(page, measured)
  expect(refreshed.page).toBe(`before\n\n${MARK}\n\n${toMarkdown(table)}\nafter\n\n| another | table |\n`)
  expect(refreshed.unplaced).toEqual([])
  expect(refreshPage(refreshed.page, measured).page).toBe(refreshed.page)
})

test('a mark without a table yet gets its first', () => {
  expect(refreshPage(`${MARK}\n\nafter\n`, measured).page).toBe(`${MARK}\n\n${toMarkdown(table)}\nafter\n`)
})

test('a table that the page has no mark for is named', () => {
  expect(refreshPage('nothing here\n', measured)).toEqual({ page: 'nothing here\n', unplaced: [MARK] })
})
