import type { Engine } from './arguments.ts'
import { type Grid, toCell } from './markdown-table.ts'
import { type Figure, type Recorded, recordTable } from './record-table.ts'
import type { Check, Outcome, Scenario } from './scenario.ts'

/** The name of the table that every scenario has: its checks. */
export const CHECKS = 'checks'
/** The name of the table that every program has: its scenarios, and how each was last run. */
export const RUNS = 'runs'

const NOTHING = '–'
const NOT_YET = 'not yet'
const ENGINE_NAMES: Readonly<{ [name in Engine]: string }> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
/** Of a scenario that runs once, whatever the database. */
const MEASURED = 'measured'

function columnOf(engine: Engine | null): string {
  return engine === null ? MEASURED : ENGINE_NAMES[engine]
}

function columnsOf({ engines }: Pick<Scenario, 'engines'>): string[] {
  return engines.length === 0 ? [MEASURED] : engines.map(columnOf)
}

const KEYS = ['check', 'pass mark']

/**
 * Every check of a scenario, with a column for each engine that it runs on: this run's in place of the former ones, and
 * the other engine's as they stood.
 */
export function checksTable(scenario: Pick<Scenario, 'engines'>, former: Grid | null, outcome: Outcome): Grid {
  const columns = columnsOf(scenario)
  const head = [...KEYS, ...columns]
  const measured = columns.indexOf(columnOf(outcome.engine))
  const kept = former !== null && former.head.join() === head.join() ? former.rows : []
  const fresh = [['the run', 'in full', describeRun(outcome)], ...outcome.checks.map(cellsOf)]
  const nameOf = ([what, mark]: readonly string[]) => `${what} ${mark}`
  const rows = new Map(fresh.map((row) => [nameOf(row), [...row.slice(0, 2), ...columns.map(() => NOTHING)]]))
  for (const row of kept) {
    const others = row.slice(KEYS.length).map((cell, column) => (column === measured ? NOTHING : cell))
    if (others.some((cell) => cell !== NOTHING)) rows.set(nameOf(row), [...row.slice(0, KEYS.length), ...others])
  }
  for (const row of fresh) rows.get(nameOf(row))?.splice(KEYS.length + measured, 1, row[KEYS.length] ?? NOTHING)
  return { head, rows: [...rows.values()] }
}

/** What was measured, and whether it met its mark: “0: pass”, “121 ms: missed”; a mere figure where there is no mark. */
function cellsOf({ what, measured, passMark, passed, isSkipped, isFigure }: Check): string[] {
  const verdict = isSkipped ? 'skipped' : passed ? 'pass' : '**missed**'
  return [what, passMark, isFigure ? measured : `${toCell(measured)}: ${verdict}`].map((text, column) =>
    column < KEYS.length ? toCell(text) : text,
  )
}

function describeRun(outcome: Outcome): string {
  const minutes = Math.max(1, Math.round(outcome.durationMs / 60_000))
  return `${sizeOf(outcome)}, seed ${outcome.seed}, ${minutes} min, ${dayOf(outcome.endedAt)}`
}

function sizeOf({ scale }: Outcome): string {
  return scale === 1 ? 'in full' : `${scale} of it`
}

/** As in a table: 2026-01-31. `at` in epoch milliseconds. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** All scenarios of a program: which were run in full, with how many of their marks met, and which not yet. */
export function runsTable(scenarios: readonly Scenario[], former: Grid | null, outcomes: readonly Outcome[]): Grid {
  const columns = [ENGINE_NAMES.sqlite, ENGINE_NAMES.postgres, 'both in one run'] as const
  const columnOfRun = (engine: Engine | null) => (engine === null ? columns[2] : ENGINE_NAMES[engine])
  const record: Recorded = {
    keyHead: ['scenario'],
    columns,
    rows: scenarios.map(({ name, engines }) => {
      const runs = engines.length === 0 ? [columnOfRun(null)] : engines.map(columnOfRun)
      return { key: [`\`${name}\``], cells: columns.map((column) => (runs.includes(column) ? NOT_YET : NOTHING)) }
    }),
  }
  const figures = outcomes.map(
    (outcome): Figure => ({
      row: `\`${outcome.scenario}\``,
      column: columnOfRun(outcome.engine),
      text: summaryOf(outcome),
    }),
  )
  return recordTable(record, former, figures)
}

function summaryOf(outcome: Outcome): string {
  const marks = outcome.checks.filter(({ isFigure }) => !isFigure)
  const missed = marks.filter(({ passed }) => !passed).length
  const result = missed === 0 ? `all ${marks.length} met` : `**${missed} of ${marks.length} missed**`
  return `${sizeOf(outcome)}, ${dayOf(outcome.endedAt)}: ${result}`
}
