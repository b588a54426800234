import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HarnessArguments, readArguments, USAGE } from './arguments.ts'
import { heedSignals, InterruptedError, type Interruption, killDescendants, type SignalSource } from './interruption.ts'
import { changePages, tablesOf } from './pages.ts'
import { allPassed, type RunSurroundings, runScenarios } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'

/** What a program needs of the process it is. */
interface Surroundings extends SignalSource {
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  stdout: { write(text: string): unknown }
  exit(code: number): never
}

/** The built server, `packages/server/dist`. */
const SERVER_FOLDER = fileURLToPath(new URL('../../../server/dist/', import.meta.url))

/**
 * Runs one of the harness's programs from its command line. Returns its exit code: 0 where every pass mark was met, 1
 * where one was missed, 2 where it was asked for what it does not know. Ended by a signal, it ends all that it started,
 * removes what it made, and exits as one who died of it.
 */
export async function runProgram(
  name: string,
  scenarios: readonly Scenario[],
  own: Surroundings,
): Promise<number> {
  const interruption = heedSignals(own)
  let hasGivenUp = false
  const onGivenUp = () => {
    hasGivenUp = true
    killDescendants(own)
  }
  try {
    const code = await run({ name, scenarios }, own, { interruption, onGivenUp })
    // What was given up may wait for ever, and would keep the process.
    return hasGivenUp ? own.exit(code) : code
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    // What it had started meanwhile, too; and whatever is still open here would keep the process.
    killDescendants(own)
    own.stdout.write(`\n${name}: ${error.message}\n`)
    return own.exit(error.exitCode)
  }
}

interface Program {
  name: string
  scenarios: readonly Scenario[]
}

interface ProgramRun {
  interruption: Interruption
  onGivenUp: () => void
}

const UNKNOWN = 2

async function run(program: Program, { argv, env, stdout }: Surroundings, ending: ProgramRun): Promise<number> {
  const { name, scenarios } = program
  const write = (text: string) => void stdout.write(text)
  const read = readArguments(argv.slice(2), Math.floor(Math.random() * 0xffffffff))
  if (!read.ok) {
    write(`${read.problem}\n`)
    return UNKNOWN
  }
  const { given } = read
  if (given.isHelp || given.isList) {
    write(given.isHelp ? `${USAGE}\n` : `${scenarios.map((one) => `${one.name.padEnd(20)} ${one.title}`).join('\n')}\n`)
    return 0
  }
  const serverFolder = given.serverFolder ?? SERVER_FOLDER
  const problem = problemOf(program, given, serverFolder)
  if (problem !== null) {
    write(`${problem}\n`)
    return UNKNOWN
  }
  const around: RunSurroundings = { env, serverFolder, now: Date.now, write, ...ending }
  let unplaced: readonly string[] = []
  // After each of them: what was measured in hours stays, whatever becomes of the rest.
  const outcomes = await runScenarios(scenarios, given, {
    ...around,
    onOutcomes(soFar) {
      if (given.pages.length > 0) unplaced = changePages(given.pages, tablesOf(name, scenarios, soFar))
    },
  })
  for (const table of unplaced) write(`no place in ${given.pages.join(', ')} for “${table}”\n`)
  const failed = outcomes.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)).length
  write(`\n${name}: ${outcomes.length} scenarios, seed ${given.seed}, ${failed} pass marks missed\n`)
  return allPassed(outcomes) ? 0 : 1
}

/** Why what was asked for cannot be run, in a sentence; null where it can. */
function problemOf({ scenarios }: Program, given: HarnessArguments, serverFolder: string): string | null {
  const unknown = (given.only ?? []).filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0) return `There is no scenario named ${unknown.join(', ')}: --list prints them.`
  const lost = given.pages.filter((page) => !existsSync(page))
  if (lost.length > 0) return `${lost.join(', ')} is not there.`
  return existsSync(serverFolder) ? null : `${serverFolder} is not there: run “npm run build” first.`
}
