import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { killDescendants } from './process-usage.ts'
import { allPassed, type RunOptions, runScenarios } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'

const USAGE = `Options:
  --help                print this and end
  --list                print the scenarios and end
  --only <a,b>          run these alone
  --engine <name>       sqlite or postgres; both without it
  --scale <share>       multiply all counts, such as 0.05 for a quick look (default 1)
  --seed <number>       repeat a run (default: drawn)
  --limit <minutes>     end a scenario that takes longer, as failed (default 60)
  --server <folder>     run another built server, such as ../other/packages/server/dist/bundle`

const OPTIONS = {
  help: { type: 'boolean' },
  list: { type: 'boolean' },
  only: { type: 'string' },
  engine: { type: 'string' },
  scale: { type: 'string', default: '1' },
  seed: { type: 'string' },
  limit: { type: 'string', default: '60' },
  server: { type: 'string' },
} as const

const SERVER_FOLDER = fileURLToPath(new URL('../../../packages/server/dist/bundle/', import.meta.url))
const UNKNOWN = 2

class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
}

type Surroundings = Pick<NodeJS.Process, 'env' | 'exit' | 'kill' | 'once' | 'pid'> & {
  stdout: { write(text: string): unknown }
}

/** Exits with 0 where every pass mark was met, 1 where one was missed, 2 for unknown options. */
export async function runProgram(
  programs: Readonly<Record<string, readonly Scenario[]>>,
  [name = '', ...args]: readonly string[],
  own: Surroundings,
): Promise<number> {
  const write = (text: string) => void own.stdout.write(text)
  let options: Omit<RunOptions, 'env' | 'write'>
  const scenarios = programs[name] ?? []
  try {
    if (scenarios.length === 0) throw new Error(`name one of ${Object.keys(programs).join(', ')}`)
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    if (values.help) write(`${USAGE}\n`)
    if (values.list) write(scenarios.map((one) => `${one.name.padEnd(20)} ${one.title}\n`).join(''))
    if (values.help || values.list) return 0
    options = toOptions(values, scenarios)
  } catch (error) {
    write(`${error instanceof Error ? error.message : error}\n\n${USAGE}\n`)
    return UNKNOWN
  }
  return run(scenarios, { ...options, env: own.env, write }, own)
}

/** A signal ends the run: every program that it started is killed, and the exit code is that of the signal. */
async function run(scenarios: readonly Scenario[], options: RunOptions, own: Surroundings): Promise<number> {
  let code: number | null = null
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      own.once(signal, () => {
        code = 128 + constants.signals[signal]
        killDescendants(own)
        reject(new InterruptedError(`the run was ended by ${signal}`))
      })
    }
  })
  interrupted.catch(() => undefined)
  const outcomes = await runScenarios(scenarios, { ...options, interrupted })
  const missed = outcomes.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)).length
  options.write(`\n${outcomes.length} scenarios, seed ${options.seed}, ${missed} pass marks missed\n`)
  killDescendants(own)
  code ??= allPassed(outcomes) ? 0 : 1
  // A scenario that was given up may wait for ever, and would keep the process.
  return outcomes.some(({ isGivenUp }) => isGivenUp) ? own.exit(code) : code
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

function toOptions(values: Values, scenarios: readonly Scenario[]): Omit<RunOptions, 'env' | 'write'> {
  const { engine, only, server: serverFolder = SERVER_FOLDER } = values
  const unknown = only?.split(',').filter((name) => !scenarios.some((scenario) => scenario.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`There is no scenario named ${unknown.join(', ')}: --list prints them.`)
  if (engine !== undefined && engine !== 'sqlite' && engine !== 'postgres')
    throw new Error(`--engine ${engine} is unknown.`)
  if (!existsSync(serverFolder)) throw new Error(`${serverFolder} is not there: run “npm run build” first.`)
  return {
    seed: values.seed === undefined ? Math.floor(Math.random() * 0xffffffff) : toNumber('seed', values.seed),
    only: only?.split(',') ?? null,
    engines: engine === undefined ? ['sqlite', 'postgres'] : [engine],
    scale: toNumber('scale', values.scale),
    limitMs: toNumber('limit', values.limit) * 60_000,
    serverFolder,
  }
}

function toNumber(option: string, text: string): number {
  const value = Number(text)
  if (Number.isNaN(value) || value < 0) throw new Error(`--${option} takes a number, and not “${text}”.`)
  return value
}
