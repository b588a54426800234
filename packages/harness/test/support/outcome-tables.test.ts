import { expect, test } from 'vitest'
import { checksTable, runsTable } from '../../src/support/outcome-tables.ts'
import { changePage, tablesOf } from '../../src/support/pages.ts'
import { counted, exactly, type Outcome, type Scenario } from '../../src/support/scenario.ts'

const KILLS: Scenario = { name: 'kills', title: 'Kills', engines: ['sqlite', 'postgres'], run: async () => [] }
const PAUSES: Scenario = { ...KILLS, name: 'pauses', engines: ['postgres'] }
const ADDRESSES: Scenario = { ...KILLS, name: 'ssrf', engines: [] }

const outcome = (fields: Partial<Outcome> = {}): Outcome => ({
  scenario: 'kills',
  engine: 'sqlite',
  seed: 7,
  scale: 1,
  durationMs: 240_000,
  endedAt: Date.UTC(2026, 0, 31),
  checks: [counted('kills', 200), exactly('executions lost', 0, 0), exactly('calls repeated', 2, 0)],
  tables: [],
  isGivenUp: false,
  ...fields,
})

test('the table of a scenario’s checks says what was counted, and whether it met its mark', () => {
  expect(checksTable(KILLS, null, outcome())).toEqual({
    head: ['check', 'pass mark', 'SQLite', 'PostgreSQL'],
    rows: [
      ['the run', 'in full', 'in full, seed 7, 4 min, 2026-01-31', '–'],
      ['kills', '–', '200', '–'],
      ['executions lost', '= 0', '0: pass', '–'],
      ['calls repeated', '= 0', '2: **missed**', '–'],
    ],
  })
})

test('a run on one engine leaves what stands of the other, and takes away what is no longer counted', () => {
  const first = checksTable(KILLS, null, outcome())
  const postgres = outcome({ engine: 'postgres', scale: 0.05, checks: [exactly('executions lost', 1, 0)] })
  const both = checksTable(KILLS, first, postgres)
  expect(both.rows).toEqual([
    ['the run', 'in full', 'in full, seed 7, 4 min, 2026-01-31', '0.05 of it, seed 7, 4 min, 2026-01-31'],
    ['executions lost', '= 0', '0: pass', '1: **missed**'],
    ['kills', '–', '200', '–'],
    ['calls repeated', '= 0', '2: **missed**', '–'],
  ])
  const again = checksTable(KILLS, both, outcome({ checks: [exactly('executions lost', 0, 0)] }))
  expect(again.rows.map(([what]) => what)).toEqual(['the run', 'executions lost'])
  expect(again.rows.at(-1)).toEqual(['executions lost', '= 0', '0: pass', '1: **missed**'])
})

test('what was not run is said to be skipped, and a fault in the way is one line', () => {
  const skipped = {
    what: 'full disk',
    measured: 'not run: it takes root',
    passMark: 'may be',
    passed: true,
    isSkipped: true,
  }
  const broken = {
    what: 'the scenario ran to its end',
    measured: 'Error: a\n at b',
    passMark: 'no error',
    passed: false,
  }
  const checks: Outcome['checks'] = [{ ...skipped, isSkipped: true }, broken]
  expect(checksTable(ADDRESSES, null, outcome({ engine: null, checks })).rows.slice(1)).toEqual([
    ['full disk', 'may be', 'not run: it takes root: skipped'],
    ['the scenario ran to its end', 'no error', 'Error: a: **missed**'],
  ])
})

test('the table of a program’s runs knows all scenarios, what was run of each and how, and what was not yet', () => {
  const scenarios = [KILLS, PAUSES, ADDRESSES]
  const first = runsTable(scenarios, null, [outcome({ checks: [exactly('a', 0, 0), counted('b', 2)] })])
  expect(first).toEqual({
    head: ['scenario', 'SQLite', 'PostgreSQL', 'both in one run'],
    rows: [
      ['`kills`', 'in full, 2026-01-31: all 1 met', 'not yet', '–'],
      ['`pauses`', '–', 'not yet', '–'],
      ['`ssrf`', '–', '–', 'not yet'],
    ],
  })
  const second = runsTable(scenarios, first, [outcome({ scenario: 'ssrf', engine: null, scale: 0.1 })])
  expect(second.rows.map((row) => row.slice(1))).toEqual([
    ['in full, 2026-01-31: all 1 met', 'not yet', '–'],
    ['–', 'not yet', '–'],
    ['–', '–', '0.1 of it, 2026-01-31: **1 of 2 missed**'],
  ])
})

test('a page gets those of a program’s tables that it has a place for', () => {
  const own = { name: 'growth', head: ['', 'ms'], rows: [['page', '3']] }
  const tables = tablesOf('fault', [KILLS], [outcome({ tables: [own] })])
  expect(tables.map(({ name }) => name)).toEqual(['fault runs', 'fault kills checks', 'fault kills growth'])
  const { page, placed } = changePage('# Page\n\n<!-- measured: fault kills growth -->\n\nafter\n', tables)
  expect(placed).toEqual(['fault kills growth'])
  expect(page).toBe(
    '# Page\n\n<!-- measured: fault kills growth -->\n\n|  | ms |\n| --- | --: |\n| page | 3 |\n\nafter\n',
  )
})
