import type { Engine } from './arguments.ts'
import type { Table } from './markdown-table.ts'
import type { Random } from './random.ts'

/** What a scenario finds around it. */
export interface ScenarioContext {
  engine: Engine
  /** Those that the run is about, for a scenario that compares them in one go. */
  engines: readonly Engine[]
  random: Random
  seed: number
  /** This many of a full run's count, at least `min`. */
  count(full: number, min?: number): number
  /** The surroundings that programs are started in. */
  env: NodeJS.ProcessEnv
    serverFolder: string
  /** Whether what this machine cannot run may be left out: see {@link skipped}. */
  allowsSkips: boolean
  /** One line of progress, for whoever watches. */
  say(line: string): void
  /** A table of what was measured: printed, kept with the outcome, and put into a page where the run is told to. */
  table(table: Table): void
  /** Runs at the end of the scenario, the last one first, whatever happened. */
  onEnd(cleanUp: () => Promise<unknown> | unknown): void
}

/** One check: what was counted, what it had to be, and whether it was. */
export interface Check {
  what: string
  measured: string
  passMark: string
  passed: boolean
  /** Nothing was measured: it could not be run here. */
  isSkipped?: true
  /** It has no pass mark: it is there to be read. */
  isFigure?: true
}

export interface Outcome {
  scenario: string
  engine: Engine | null
  seed: number
  scale: number
  durationMs: number
  /** Epoch milliseconds. */
  endedAt: number
  checks: readonly Check[]
  tables: readonly Table[]
  /** It took too long, and may go on in this process. */
  isGivenUp: boolean
}

export interface Scenario {
  name: string
  title: string
  /** Empty: it has nothing to do with the database and runs once. */
  engines: readonly Engine[]
  /** Names of the tables that it makes beside that of its checks; each has a place in a page of docs/. */
  tables?: readonly string[]
  run(context: ScenarioContext): Promise<readonly Check[]>
}

/** `measured` must be exactly `expected`. */
export function exactly(what: string, measured: number, expected: number): Check {
  return { what, measured: String(measured), passMark: `= ${expected}`, passed: measured === expected }
}

export function atMost(what: string, measured: number, limit: number, unit = ''): Check {
  return { what, measured: shown(measured, unit), passMark: `≤ ${shown(limit, unit)}`, passed: measured <= limit }
}

export function atLeast(what: string, measured: number, limit: number, unit = ''): Check {
  return { what, measured: shown(measured, unit), passMark: `≥ ${shown(limit, unit)}`, passed: measured >= limit }
}

/** How much there was of something: for whoever reads the figures, and no pass mark. */
export function counted(what: string, measured: number, unit = ''): Check {
  return { what, measured: shown(measured, unit), passMark: NO_MARK, passed: true, isFigure: true }
}

/** The check with `found` said beside what was measured, so that `what` stays the same from run to run. */
export function withFindings(check: Check, found: readonly string[]): Check {
  return found.length === 0 ? check : { ...check, measured: `${check.measured}: ${found.join(', ')}` }
}

/** `what` could not be run on this machine, for this reason. Passes only where the run was told that this may be. */
export function skipped(what: string, why: string, { allowsSkips }: Pick<ScenarioContext, 'allowsSkips'>): Check {
  const passMark = allowsSkips ? 'may be skipped' : 'is run, or --allow-skips'
  return { what, measured: `not run: ${why}`, passMark, passed: allowsSkips, isSkipped: true }
}

/** Stands where a check has no pass mark. */
const NO_MARK = '–'

function shown(value: number, unit: string): string {
  const digits = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)))
  return unit === '' ? digits : `${digits} ${unit}`
}
