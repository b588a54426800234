import type { Random } from './random.ts'

export type Engine = 'sqlite' | 'postgres'

export interface Table {
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface ScenarioContext {
  engine: Engine
  /** Those that the run is about, for a scenario that compares them in one go. */
  engines: readonly Engine[]
  random: Random
  seed: number
  scale: number
  /** This many of a full run's count, at least `min`. */
  count(full: number, min?: number): number
  env: NodeJS.ProcessEnv
  /** The folder of the built server. */
  serverFolder: string
  /** Prints one line of progress. */
  say(line: string): void
  table(table: Table): void
  /** Prints text as it is. */
  write(text: string): void
  /** Runs at the end of the scenario, the last one first, however it ended. */
  onEnd(cleanUp: () => unknown): void
}

/** One check: the measured value, the pass mark, and whether it was met. */
export interface Check {
  what: string
  measured: string
  passMark: string
  passed: boolean
}

export interface Outcome {
  checks: readonly Check[]
  /** It took too long, and may go on in this process. */
  isGivenUp: boolean
}

export interface Scenario {
  name: string
  title: string
  /** Empty: it has nothing to do with the database and runs once. */
  engines: readonly Engine[]
  run(context: ScenarioContext): Promise<readonly Check[]>
}

export function exactly(what: string, measured: number, expected: number): Check {
  return { what, measured: String(measured), passMark: `= ${expected}`, passed: measured === expected }
}

/** No finding at all; some examples are shown beside their number. */
export function none(what: string, found: readonly string[]): Check {
  return withFindings(exactly(what, found.length, 0), found)
}

export function atMost(what: string, measured: number, limit: number, unit = ''): Check {
  return { what, measured: shown(measured, unit), passMark: `≤ ${shown(limit, unit)}`, passed: measured <= limit }
}

export function atLeast(what: string, measured: number, limit: number, unit = ''): Check {
  return { what, measured: shown(measured, unit), passMark: `≥ ${shown(limit, unit)}`, passed: measured >= limit }
}

/** A figure without a pass mark. */
export function counted(what: string, measured: number, unit = ''): Check {
  return { what, measured: shown(measured, unit), passMark: '–', passed: true }
}

/** The checks of one part of a scenario, named after it. */
export function prefixed(part: string, checks: readonly Check[]): Check[] {
  return checks.map((check) => ({ ...check, what: `${part}${check.what}` }))
}

const EXAMPLES = 5

export function withFindings(check: Check, found: readonly string[]): Check {
  if (found.length === 0) return check
  return { ...check, measured: `${check.measured}: ${found.slice(0, EXAMPLES).join('; ')}` }
}

function shown(value: number, unit: string): string {
  const digits = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)))
  return unit === '' ? digits : `${digits} ${unit}`
}
