import { readFileSync, writeFileSync } from 'node:fs'
import { type Grid, markOf, withTable } from './markdown-table.ts'
import { CHECKS, checksTable, RUNS, runsTable } from './outcome-tables.ts'
import type { Outcome, Scenario } from './scenario.ts'

/** One table for a page: where it goes, and what becomes of the one that stands there. */
export interface TableChange {
  /** As it stands in the mark: “fault kills checks”. */
  name: string
  change(former: Grid | null): Grid
}

/** Everything that the outcomes of a program have to say, table by table. */
export function tablesOf(
  program: string,
  scenarios: readonly Scenario[],
  outcomes: readonly Outcome[],
): readonly TableChange[] {
  const ofScenarios = outcomes.flatMap((outcome): TableChange[] => {
    const scenario = scenarios.find(({ name }) => name === outcome.scenario)
    const own = outcome.tables.map((table) => ({ name: `${outcome.scenario} ${table.name}`, change: () => table }))
    const checks = (former: Grid | null) => checksTable(scenario ?? { engines: [] }, former, outcome)
    return [{ name: `${outcome.scenario} ${CHECKS}`, change: checks }, ...own]
  })
  const runs = { name: RUNS, change: (former: Grid | null) => runsTable(scenarios, former, outcomes) }
  return [runs, ...ofScenarios].map(({ name, change }) => ({ name: `${program} ${name}`, change }))
}

/** The page with these tables in their places; and the names of those that it has a place for. */
export function changePage(page: string, tables: readonly TableChange[]): { page: string; placed: readonly string[] } {
  const placed = tables.filter(({ name }) => page.includes(markOf(name)))
  const changed = placed.reduce((text, { name, change }) => withTable(text, markOf(name), change), page)
  return { page: changed, placed: placed.map(({ name }) => name) }
}

/** Puts tables into the files that have a place for them, and returns the names of those that none has. */
export function changePages(files: readonly string[], tables: readonly TableChange[]): string[] {
  const placed = new Set<string>()
  for (const file of files) {
    const { page, placed: here } = changePage(readFileSync(file, 'utf8'), tables)
    writeFileSync(file, page)
    for (const name of here) placed.add(name)
  }
  return tables.map(({ name }) => name).filter((name) => !placed.has(name))
}
