import { expect, test } from 'vitest'
import { markOf, marksIn, toCell, toMarkdown, withTable } from '../../src/support/markdown-table.ts'

const table = { head: ['', 'calls/s'], rows: [['proxy', '10']] }
const MARK = markOf('bench broker calls')

test('a table names its rows on the left and has its figures on the right', () => {
  expect(toMarkdown(table)).toBe('|  | calls/s |\n| --- | --: |\n| proxy | 10 |\n')
})

test('a measured table takes the place of the one below its mark, and nothing else changes', () => {
  const page = `before\n\n${MARK}\n\n| old | table |\n|---|---|\n| a | 1 |\n| b\\|c | 2 |\n\nafter\n\n| another | table |\n`
  const formers: unknown[] = []
  const change = (former: unknown) => {
    formers.push(former)
    return table
  }
  const changed = withTable(page, MARK, change)
  expect(changed).toBe(`before\n\n${MARK}\n\n${toMarkdown(table)}\nafter\n\n| another | table |\n`)
  expect(withTable(changed, MARK, change)).toBe(changed)
  expect(formers).toEqual([
    {
      head: ['old', 'table'],
      rows: [
        ['a', '1'],
        ['b\\|c', '2'],
      ],
    },
    table,
  ])
})

test('a mark without a table yet gets its first', () => {
  expect(withTable(`${MARK}\n\nafter\n`, MARK, () => table)).toBe(`${MARK}\n\n${toMarkdown(table)}\nafter\n`)
})

test('the marks of a page are told in their order', () => {
  expect(marksIn(`a ${markOf('fault runs')}\n${MARK}\n`)).toEqual(['fault runs', 'bench broker calls'])
})

test('a cell has one line of a text, not all of a long one, and no bar of its own', () => {
  expect(toCell('Error: a | b\n    at x')).toBe('Error: a \\| b')
  expect(toCell('x'.repeat(400))).toHaveLength(161)
})
