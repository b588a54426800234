import { expect, test, vi } from 'vitest'
import { readArguments } from '../../src/support/arguments.ts'
import { allPassed, type RunSurroundings, runScenarios } from '../../src/support/run-scenarios.ts'
import { type Scenario, skipped } from '../../src/support/scenario.ts'

function run(scenario: Pick<Scenario, 'run'>, args: readonly string[], more: Partial<RunSurroundings> = {}) {
  const read = readArguments(args, 1)
  if (!read.ok) throw new Error(read.problem)
  const around = { env: {}, serverFolder: '', now: () => 0, write: () => {}, ...more }
  return runScenarios([{ name: 'one', title: 'One', engines: [], ...scenario }], read.given, around)
}

test('a scenario that never ends has failed, with what it last said, and is cleaned up after', async () => {
  const [cleanUp, lateCleanUp, onGivenUp] = [vi.fn(), vi.fn(), vi.fn()]
  let goOn = () => {}
  const [outcome] = await run(
    {
      async run(context) {
        context.onEnd(cleanUp)
        context.say('3 of 9 kills')
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
        context.onEnd(lateCleanUp)
        return []
      },
    },
    ['--limit', '0.0001'],
    { onGivenUp },
  )
  expect(outcome?.checks).toMatchObject([
    { passed: false, measured: 'waited 0.006 s for one to end; it last said: 3 of 9 kills' },
  ])
  expect([cleanUp.mock.calls.length, onGivenUp.mock.calls.length]).toEqual([1, 1])
  goOn()
  await vi.waitFor(() => expect(lateCleanUp).toHaveBeenCalledTimes(1))
})

test('a scenario that is given up ends the run: it may go on beside the next one', async () => {
  const read = readArguments(['--limit', '0.0001'], 1)
  if (!read.ok) throw new Error(read.problem)
  const after = vi.fn(async () => [])
  const scenarios: Scenario[] = [
    { name: 'endless', title: 'Endless', engines: [], run: () => new Promise<never>(() => {}) },
    { name: 'after', title: 'After', engines: [], run: after },
  ]
  const seen = vi.fn()
  const around = { env: {}, serverFolder: '', now: () => 0, write: () => {}, onOutcomes: seen }
  const outcomes = await runScenarios(scenarios, read.given, around)
  expect(outcomes.map(({ scenario, isGivenUp }) => [scenario, isGivenUp])).toEqual([['endless', true]])
  expect([after.mock.calls.length, seen.mock.calls.length]).toEqual([0, 1])
  expect(allPassed(outcomes)).toBe(false)
})

test('a table that its scenario does not name breaks it off: a page could not have a place for it', async () => {
  const table = { name: 'costs', head: [''], rows: [] }
  const [outcome] = await run(
    {
      async run(context) {
        context.table(table)
        return []
      },
    },
    [],
  )
  expect(outcome?.checks[0]?.measured).toContain('one does not name its table costs')
})

test('what could not be run fails, unless the run was told that it may be skipped, and is shown as such', async () => {
  const scenario: Pick<Scenario, 'run'> = { run: async (context) => [skipped('full disk', 'it takes root', context)] }
  expect(allPassed(await run(scenario, []))).toBe(false)
  const written: string[] = []
  const outcomes = await run(scenario, ['--allow-skips'], { write: (text) => void written.push(text) })
  expect(allPassed(outcomes)).toBe(true)
  expect(written.join('')).toContain('skip  full disk: not run: it takes root')
})
