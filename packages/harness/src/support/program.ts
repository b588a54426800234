import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HarnessArguments, readArguments } from './arguments.ts'
import { heedSignals, InterruptedError, type Interruption, killDescendants, type SignalSource } from './interruption.ts'
import { refreshPage } from './markdown-table.ts'
import { allPassed, type Outcome, type RunSurroundings, runScenarios, type Scenario } from './scenario.ts'

/** What a program needs of the process it is. */
interface Surroundings extends SignalSource {
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  stdout: { write(text: string): unknown }
  exit(code: number): never
}

/** The built server, `packages/server/dist`. */
const SERVER_FOLDER = fileURLToPath(new URL('../../../server/dist/', import.meta.url))

/** Runs what `--plant` asks for. True when everything that was planted was found. */
export type PlantRunner = (given: HarnessArguments, around: RunSurroundings) => Promise<boolean>

/**
 * Runs one of the harness's programs from its command line. Returns its exit code: 0 where every pass mark was met. Ended
 * by a signal, it ends all that it started, removes what it made, and exits as one who died of it.
 */
export async function runProgram(
  name: string,
  scenarios: readonly Scenario[],
  own: Surroundings,
  runPlants?: PlantRunner,
): Promise<number> {
  const interruption = heedSignals(own)
  let hasGivenUp = false
  const onGivenUp = () => {
    hasGivenUp = true
    killDescendants(own)
  }
  try {
    const code = await run(name, scenarios, own, { interruption, runPlants, onGivenUp })
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

interface ProgramRun {
  interruption: Interruption
  runPlants: PlantRunner | undefined
  onGivenUp: () => void
}

async function run(
  name: string,
  scenarios: readonly Scenario[],
  { argv, env, stdout }: Surroundings,
  { interruption, runPlants, onGivenUp }: ProgramRun,
): Promise<number> {
  const write = (text: string) => void stdout.write(text)
  const read = readArguments(argv.slice(2), Math.floor(Math.random() * 0xffffffff))
  if (!read.ok) {
    write(`${read.problem}\n`)
    return 2
  }
  if (read.given.isList) {
    write(`${scenarios.map((scenario) => `${scenario.name.padEnd(20)} ${scenario.title}`).join('\n')}\n`)
    return 0
  }
  const serverFolder = read.given.serverFolder ?? SERVER_FOLDER
  if (!existsSync(serverFolder)) throw new Error(`${serverFolder} is not there: run “npm run build” first`)
  const around: RunSurroundings = { env, serverFolder, now: Date.now, write, interruption, onGivenUp }
  if (read.given.plant.length > 0) return plant(read.given, around, runPlants)
  const outcomes = await runScenarios(scenarios, read.given, around)
  if (read.given.page !== null) write(refreshFile(read.given.page, name, outcomes))
  const failed = outcomes.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)).length
  write(`\n${name}: ${outcomes.length} scenarios, seed ${read.given.seed}, ${failed} pass marks missed\n`)
  return allPassed(outcomes) ? 0 : 1
}

async function plant(given: HarnessArguments, around: RunSurroundings, run: PlantRunner | undefined): Promise<number> {
  if (!run) {
    around.write('This program has no planted bugs.\n')
    return 2
  }
  return (await run(given, around)) ? 0 : 1
}

function refreshFile(file: string, program: string, outcomes: readonly Outcome[]): string {
  const measured = outcomes.flatMap(({ scenario, tables }) => tables.map((table) => ({ program, scenario, table })))
  const { page, unplaced } = refreshPage(readFileSync(file, 'utf8'), measured)
  writeFileSync(file, page)
  return unplaced.map((mark) => `no place in ${file} for ${mark}\n`).join('')
}
