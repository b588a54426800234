import type { HarnessArguments } from '../../support/arguments.ts'
import { allPassed, type Outcome, type RunSurroundings, runScenarios, type Scenario } from '../../support/scenario.ts'
import { copyServer } from '../../support/server-copy.ts'
import type { Plant } from './plant.ts'

/**
 * Plants each bug that was asked for, alone, and runs the scenario that has to find it. True when every one was found,
 * and when the server as it is passes the same scenarios.
 */
export async function runPlants(
  plants: readonly Plant[],
  scenarios: readonly Scenario[],
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<boolean> {
  const chosen = choose(plants, given)
  const sound = await passesWithout(chosen, scenarios, given, around)
  const lines: string[] = []
  let found = 0
  for (const plant of chosen) {
    const finding = await hunt(plant, scenarios, given, around)
    found += finding === null ? 0 : 1
    const { scenario, engine } = plant.foundBy
    const line =
      finding === null ? `NOT FOUND by ${scenario} (${engine})` : `found by ${scenario} (${engine}): ${finding}`
    lines.push(`  ${plant.name.padEnd(28)} ${line}\n`)
    around.write(`\n${lines.at(-1)}`)
  }
  around.write(`\nPlanted bugs, seed ${given.seed}:\n${lines.join('')}`)
  around.write(
    `${found} of ${chosen.length} found; the server as it is ${sound ? 'passed' : 'FAILED'} the same scenarios\n`,
  )
  return sound && found === chosen.length
}

function choose(plants: readonly Plant[], { plant, engines }: HarnessArguments): readonly Plant[] {
  const unknown = plant.filter((name) => name !== 'all' && !plants.some((known) => known.name === name))
  if (unknown.length > 0) throw new Error(`there is no planted bug named ${unknown.join(', ')}`)
  return plants.filter(
    ({ name, foundBy }) => engines.includes(foundBy.engine) && (plant.includes('all') || plant.includes(name)),
  )
}

// Once for each scenario, at the largest scale that a bug asks for.
async function passesWithout(
  plants: readonly Plant[],
  scenarios: readonly Scenario[],
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
    const outcomes = await run(foundBy, scenarios, given, around)
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
async function hunt(
  plant: Plant,
  scenarios: readonly Scenario[],
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<string | null> {
  around.write(`\n● ${plant.name}: breaks “${plant.breaks}”\n`)
  const cleanUps: (() => void)[] = []
  try {
    const serverFolder = copyServer(around.serverFolder, plant.edits, { onEnd: (cleanUp) => cleanUps.push(cleanUp) })
    const outcomes = await run(plant.foundBy, scenarios, given, { ...around, serverFolder })
    return findingIn(outcomes, plant)
  } finally {
    for (const cleanUp of cleanUps) cleanUp()
  }
}

export function findingIn(outcomes: readonly Outcome[], { foundBy }: Pick<Plant, 'foundBy'>): string | null {
  const missed = outcomes.flatMap(({ checks }) => checks).filter(({ passed }) => !passed)
  const finding = missed.find(({ what }) => what.startsWith(foundBy.check))
  return finding ? `${finding.what}: ${finding.measured.slice(0, 120)}` : null
}

function run(
  { scenario, engine, scale }: Plant['foundBy'],
  scenarios: readonly Scenario[],
  given: HarnessArguments,
  around: RunSurroundings,
): Promise<readonly Outcome[]> {
  if (!scenarios.some(({ name }) => name === scenario)) throw new Error(`there is no scenario named ${scenario}`)
  const narrowed = { ...given, only: [scenario], engines: [engine], scale, resultsFile: null }
  return runScenarios(scenarios, narrowed, around)
}
