import { createRandom } from './random.ts'
import type { Check, Engine, Outcome, Scenario, ScenarioContext, Table } from './scenario.ts'
import { within } from './within.ts'

export interface RunOptions {
  seed: number
  /** Names of scenarios; null for all. */
  only: readonly string[] | null
  engines: readonly Engine[]
  /** By what the counts of a full run are multiplied. */
  scale: number
  limitMs: number
  serverFolder: string
  env: NodeJS.ProcessEnv
  write(text: string): void
  /** Rejects when the run is to end before its end. */
  interrupted?: Promise<never>
}

// A database may take long to go; after an interruption a clean-up may wait for a process that was killed.
const CLEAN_UP_MS = 60_000

/** Runs scenarios one after the other and prints their checks as Markdown. A scenario that takes too long ends the run. */
export async function runScenarios(scenarios: readonly Scenario[], options: RunOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const scenario of scenarios.filter(({ name }) => options.only === null || options.only.includes(name))) {
    const engines = scenario.engines.filter((name) => options.engines.includes(name))
    for (const engine of scenario.engines.length === 0 ? [null] : engines) {
      const outcome = await runOne(scenario, engine, options)
      outcomes.push(outcome)
      if (outcome.isGivenUp) return outcomes
    }
  }
  return outcomes
}

async function runOne(scenario: Scenario, engine: Engine | null, options: RunOptions): Promise<Outcome> {
  const { seed, scale, limitMs, write, interrupted } = options
  const name = engine === null ? scenario.name : `${scenario.name} (${engine})`
  const cleanUps: (() => unknown)[] = []
  let isOver = false
  let isGivenUp = false
  write(`\n## ${name}\n\n${scenario.title}. Seed ${seed}, scale ${scale}.\n\n`)
  const tidy = async (cleanUp: () => unknown) => {
    const tidying = Promise.resolve().then(cleanUp)
    await within(tidying, CLEAN_UP_MS, 'a clean-up').catch((error: unknown) => write(`not cleaned up: ${error}\n`))
  }
  const context: ScenarioContext = {
    ...options,
    engine: engine ?? 'sqlite',
    random: createRandom(seed),
    count: (full, min = 1) => Math.max(min, Math.round(full * scale)),
    say: (line) => write(`- ${line}\n`),
    table: (table) => write(`\n${toMarkdown(table)}\n`),
    // A scenario that was given up may still start something: that is ended at once.
    onEnd: (cleanUp) => void (isOver ? tidy(cleanUp) : cleanUps.push(cleanUp)),
  }
  const running = within(Promise.resolve(scenario.run(context)), limitMs, `${name} to end`)
  const startedAt = performance.now()
  const checks = await Promise.race([running, ...(interrupted ? [interrupted] : [])]).catch((error: unknown) => {
    isGivenUp = /^(?:OverdueError|InterruptedError)$/.test(error instanceof Error ? error.name : '')
    return [brokenOff(error)]
  })
  isOver = true
  for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) await tidy(cleanUp)
  write(`\n${toMarkdown(checksTable(checks))}\n${name} took ${Math.round((performance.now() - startedAt) / 1_000)} s\n`)
  return { checks, isGivenUp }
}

function brokenOff(error: unknown): Check {
  const measured = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { what: 'the scenario ran to its end', measured, passMark: 'no error', passed: false }
}

function checksTable(checks: readonly Check[]): Table {
  const rows = checks.map(({ what, measured, passMark, passed }) => [
    what,
    passMark,
    passMark === '–' ? measured : `${measured}: ${passed ? 'pass' : '**missed**'}`,
  ])
  return { head: ['check', 'pass mark', 'measured'], rows }
}

export function toMarkdown({ head, rows }: Table): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'))
  const cell = (text: string) => text.replaceAll('\n', ' ').replaceAll('|', '\\|')
  return [head, rule, ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |\n`).join('')
}

/** Whether every check of every outcome passed, and that there was one. */
export function allPassed(outcomes: readonly Outcome[]): boolean {
  return outcomes.length > 0 && outcomes.every(({ checks }) => checks.length > 0 && checks.every((one) => one.passed))
}
