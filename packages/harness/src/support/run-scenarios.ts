import { writeFileSync } from 'node:fs'
import type { Engine, HarnessArguments } from './arguments.ts'
import type { Interruption } from './interruption.ts'
import { type Table, toMarkdown } from './markdown-table.ts'
import { createRandom } from './random.ts'
import type { Check, Outcome, Scenario, ScenarioContext } from './scenario.ts'
import { OverdueError, within } from './within.ts'

/** How long an interrupted scenario may take to come to its end, and then each of its clean-ups. */
const GIVE_UP_MS = 3_000
const CLEAN_UP_MS = 10_000
/** Each clean-up of a scenario that was not interrupted; a database may take long to go. */
const PATIENT_CLEAN_UP_MS = 120_000

export interface RunSurroundings {
  env: NodeJS.ProcessEnv
  serverFolder: string
  now(): number
  write(text: string): void
  /** None: the run goes on to its end. */
  interruption?: Interruption
  /** Told of all outcomes so far, whenever there is one more. */
  onOutcomes?: (outcomes: readonly Outcome[]) => void
  /** Told of a scenario that took too long, before it is cleaned up after: what it had under way goes on by itself. */
  onGivenUp?: () => void
}

/**
 * Runs scenarios one after the other and prints what each counted. A scenario that throws has failed, and so has one that
 * takes longer than the run allows; that one ends the run. Throws an {@link InterruptedError} once an interrupted one has been cleaned up after.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<readonly Outcome[]> {
  const chosen = scenarios.filter(({ name }) => given.only === null || given.only.includes(name))
  const outcomes: Outcome[] = []
  for (const scenario of chosen) {
    const engines =
      scenario.engines.length === 0 ? [null] : scenario.engines.filter((name) => given.engines.includes(name))
    for (const engine of engines) {
      const outcome = await runOne(scenario, engine, given, around)
      const interrupted = around.interruption?.current()
      if (interrupted) throw interrupted
      outcomes.push(outcome)
      around.write(describeOutcome(outcome))
      if (given.resultsFile !== null) writeFileSync(given.resultsFile, `${JSON.stringify(outcomes, null, 2)}\n`)
      around.onOutcomes?.(outcomes)
      if (!outcome.isGivenUp) continue
      around.write(
        `\nThe run ends here: ${scenario.name} may go on in this process, and would be in the next one’s figures.\n`,
      )
      return outcomes
    }
  }
  return outcomes
}

async function runOne(
  scenario: Scenario,
  engine: Engine | null,
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<Outcome> {
  const startedAt = around.now()
  const cleanUps: (() => unknown)[] = []
  const tables: Table[] = []
  const name = engine === null ? scenario.name : `${scenario.name} (${engine})`
  let isOver = false
  let isGivenUp = false
  let lastSaid = 'nothing'
  around.write(`\n▶ ${name}: ${scenario.title}. Seed ${given.seed}, scale ${given.scale}\n`)
  const context: ScenarioContext = {
    engine: engine ?? 'sqlite',
    engines: given.engines,
    random: createRandom(given.seed),
    seed: given.seed,
    count: (full, min = 1) => Math.max(min, Math.round(full * given.scale)),
    env: around.env,
    serverFolder: around.serverFolder,
    allowsSkips: given.allowsSkips,
    say: (line) => {
      lastSaid = line
      around.write(`  ${line}\n`)
    },
    table(table) {
      if (!scenario.tables?.includes(table.name))
        throw new Error(`${scenario.name} does not name its table ${table.name}`)
      tables.push(table)
    },
    // One that was given up may still be about to start something: that goes at once.
    onEnd: (cleanUp) => void (isOver ? tidy(cleanUp, around) : cleanUps.push(cleanUp)),
  }
  const running = scenario.run(context).catch((error: unknown) => [brokenOff(error, lastSaid)])
  const bounded = within(running, given.limitMs, `${name} to end`).catch((error: unknown) => {
    isGivenUp = true
    around.onGivenUp?.()
    return [brokenOff(error, lastSaid)]
  })
  const checks = await Promise.race([bounded, untilGivenUp(bounded, around)])
  isOver = true
  for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) await tidy(cleanUp, around)
  const endedAt = around.now()
  const { seed, scale } = given
  const durationMs = endedAt - startedAt
  return { scenario: scenario.name, engine, seed, scale, durationMs, endedAt, checks, tables, isGivenUp }
}

/** A scenario whose programs were ended has a moment to notice, and to clean up what it was about to start. */
async function untilGivenUp(running: Promise<unknown>, { interruption }: RunSurroundings): Promise<readonly Check[]> {
  const error = await (interruption?.wish ?? new Promise<never>(() => {}))
  await within(running, GIVE_UP_MS, 'the scenario to notice').catch(() => {})
  return [brokenOff(error)]
}

async function tidy(cleanUp: () => unknown, { write, interruption }: RunSurroundings): Promise<void> {
  const tidying = Promise.resolve()
    .then(cleanUp)
    .catch((error: unknown) => write(`  not cleaned up: ${String(error)}\n`))
  // What waits for somebody who was ended would wait for ever.
  const maxMs = interruption?.current() ? CLEAN_UP_MS : PATIENT_CLEAN_UP_MS
  await within(tidying, maxMs, 'a clean-up').catch((error: unknown) => write(`  not cleaned up: ${String(error)}\n`))
}

function brokenOff(error: unknown, lastSaid = ''): Check {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const measured = error instanceof OverdueError ? `${error.message}; it last said: ${lastSaid}` : told
  return { what: 'the scenario ran to its end', measured, passMark: 'no error', passed: false }
}

function describeOutcome({ scenario, engine, durationMs, checks, tables }: Outcome): string {
  const lines = checks.map(
    ({ passed, isSkipped, what, measured, passMark }) =>
      `  ${passed ? (isSkipped ? 'skip' : 'pass') : 'FAIL'}  ${what}: ${measured} (${passMark})`,
  )
  const head = `${scenario}${engine === null ? '' : ` (${engine})`} took ${Math.round(durationMs / 1000)} s`
  const shownTables = tables.map((table) => `\n${toMarkdown(table)}`)
  return `${[...shownTables, ...lines, `  ${head}`].join('\n')}\n`
}

/** Whether every check of every outcome passed, and that there was one. */
export function allPassed(outcomes: readonly Outcome[]): boolean {
  return (
    outcomes.length > 0 && outcomes.every(({ checks }) => checks.length > 0 && checks.every(({ passed }) => passed))
  )
}
