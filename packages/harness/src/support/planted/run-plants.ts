import type { HarnessArguments } from '../arguments.ts'
import { type Grid, toCell } from '../markdown-table.ts'
import { dayOf } from '../outcome-tables.ts'
import type { TableChange } from '../pages.ts'
import { type Figure, recordTable } from '../record-table.ts'
import { allPassed, type RunSurroundings, runScenarios } from '../run-scenarios.ts'
import type { Outcome, Scenario } from '../scenario.ts'
import { copyServer } from '../server-copy.ts'
import type { Plant } from './plant.ts'

/** The bugs of a program, and the scenarios that have to find them. */
export interface Bed {
  program: string
  plants: readonly Plant[]
  scenarios: readonly Scenario[]
}

/**
 * Plants each bug that was asked for, alone, and runs the scenario that has to find it; `record` is told of every one.
 * True when every one was found, and when the server as it is passes the same scenarios.
 */
export async function runPlants(
  bed: Bed,
  given: HarnessArguments,
  around: RunSurroundings,
  record: (table: TableChange) => void = () => {},
): Promise<boolean> {
  const chosen = choose(bed.plants, given)
  const sound = await passesWithout(chosen, bed, given, around)
  const lines: string[] = []
  const figures: Figure[] = []
  let found = 0
  for (const plant of chosen) {
    const finding = await hunt(plant, bed, given, around)
    found += finding === null ? 0 : 1
    const { scenario, engine } = plant.foundBy
    const line =
      finding === null ? `NOT FOUND by ${scenario} (${engine})` : `found by ${scenario} (${engine}): ${finding}`
    lines.push(`  ${plant.name.padEnd(28)} ${line}\n`)
    around.write(`\n${lines.at(-1)}`)
    const [check, count] = finding?.split(': ') ?? ['**not found**']
    const text = toCell(`${dayOf(around.now())}: ${count === undefined ? check : `${check}: ${count}`}`)
    figures.push({ row: `\`${plant.name}\``, column: FOUND, text })
    record({ name: `${bed.program} ${PLANTED}`, change: (former) => plantsTable(bed.plants, former, figures) })
  }
  around.write(`\nPlanted bugs, seed ${given.seed}:\n${lines.join('')}`)
  around.write(
    `${found} of ${chosen.length} found; the server as it is ${sound ? 'passed' : 'FAILED'} the same scenarios\n`,
  )
  return sound && found === chosen.length
}

/** The name of the table of a program's planted bugs. */
export const PLANTED = 'plants'
const FOUND = 'last found'

/** Every planted bug, the scenario that has to find it, and what that last said of it. */
export function plantsTable(plants: readonly Plant[], former: Grid | null, figures: readonly Figure[]): Grid {
  const rows = plants.map(({ name, breaks, foundBy }) => ({
    key: [`\`${name}\``, breaks, `\`${foundBy.scenario}\``] as const,
    cells: ['not yet'],
  }))
  return recordTable({ keyHead: ['planted', 'breaks', 'found by'], columns: [FOUND], rows }, former, figures)
}

function choose(plants: readonly Plant[], { plant, engines }: HarnessArguments): readonly Plant[] {
  return plants.filter(
    ({ name, foundBy }) => engines.includes(foundBy.engine) && (plant.includes('all') || plant.includes(name)),
  )
}

// Once for each scenario, at the largest scale that a bug asks for.
async function passesWithout(
  plants: readonly Plant[],
  bed: Bed,
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<boolean> {
  const hunts = new Map<string, Plant['foundBy']>()
  for (const { foundBy } of plants) {
    const name = `${foundBy.scenario} ${foundBy.engine}`
    if (foundBy.scale > (hunts.get(name)?.scale ?? 0)) hunts.set(name, foundBy)
  }
  let isSound = true
  for (const foundBy of hunts.values()) {
    const outcomes = await run(foundBy, bed, given, around)
    isSound &&= allPassed(outcomes)
    for (const name of uncheckedBy(outcomes, plants)) {
      around.write(`\n  ${name}: no check of its scenario begins as it says\n`)
      isSound = false
    }
  }
  return isSound
}

/** Plants whose check is none of those that their scenario made. */
export function uncheckedBy(
  outcomes: readonly Pick<Outcome, 'scenario' | 'engine' | 'checks'>[],
  plants: readonly Pick<Plant, 'name' | 'foundBy'>[],
): string[] {
  return outcomes.flatMap(({ scenario, engine, checks }) =>
    plants
      .filter(({ foundBy }) => foundBy.scenario === scenario && (engine === null || foundBy.engine === engine))
      .filter(({ foundBy }) => !checks.some(({ what }) => what.startsWith(foundBy.check)))
      .map(({ name }) => name),
  )
}

// What a scenario that broke off has seen is no finding: the bug has to be caught by the check that is there for it.
async function hunt(plant: Plant, bed: Bed, given: HarnessArguments, around: RunSurroundings): Promise<string | null> {
  around.write(`\n● ${plant.name}: breaks “${plant.breaks}”\n`)
  const cleanUps: (() => void)[] = []
  try {
    const serverFolder = copyServer(around.serverFolder, plant.edits, { onEnd: (cleanUp) => cleanUps.push(cleanUp) })
    const outcomes = await run(plant.foundBy, bed, given, { ...around, serverFolder })
    return findingIn(outcomes, plant)
  } finally {
    for (const cleanUp of cleanUps) cleanUp()
  }
}

export function findingIn(
  outcomes: readonly Pick<Outcome, 'checks'>[],
  { foundBy }: Pick<Plant, 'foundBy'>,
): string | null {
  const missed = outcomes.flatMap(({ checks }) => checks).filter(({ passed }) => !passed)
  const finding = missed.find(({ what }) => what.startsWith(foundBy.check))
  return finding ? `${finding.what}: ${finding.measured.slice(0, 120)}` : null
}

async function run(
  { scenario, engine, scale }: Plant['foundBy'],
  { scenarios }: Bed,
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<readonly Outcome[]> {
  if (!scenarios.some(({ name }) => name === scenario)) throw new Error(`there is no scenario named ${scenario}`)
  const narrowed = { ...given, only: [scenario], engines: [engine], scale, resultsFile: null }
  const outcomes = await runScenarios(scenarios, narrowed, around)
  // It may go on in this process, and would be in what the next one sees.
  if (outcomes.some(({ isGivenUp }) => isGivenUp)) throw new Error(`${scenario} took too long: the run ends with it`)
  return outcomes
}
