import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { describeEngine } from '../../../server/test/support/engines.ts'
import { kills } from '../../src/fault/kills/kills.ts'
import { refusalsAreFree } from '../../src/fault/refusals-are-free/refusals-are-free.ts'
import { readArguments } from '../../src/support/arguments.ts'
import { runScenarios } from '../../src/support/run-scenarios.ts'
import type { Scenario } from '../../src/support/scenario.ts'

const SERVER_FOLDER = fileURLToPath(new URL('../../../server/dist/', import.meta.url))

/** Some ten seconds each, and far more where the machine has other work. */
const SLOW_MACHINE_MS = 180_000

/** Every check of a scenario that failed, in words. */
async function missed(scenario: Scenario, engine: 'sqlite' | 'postgres', scale: string): Promise<string[]> {
  const read = readArguments(['--engine', engine, '--scale', scale, '--seed', '1'], 1)
  if (!read.ok) throw new Error(read.problem)
  const around = { env: process.env, serverFolder: SERVER_FOLDER, now: Date.now, write: () => {} }
  const outcomes = await runScenarios([scenario], read.given, around)
  const checks = outcomes.flatMap((outcome) => outcome.checks)
  expect(checks.length).toBeGreaterThan(0)
  return checks.filter(({ passed }) => !passed).map(({ what, measured }) => `${what}: ${measured}`)
}

describeEngine('postgres', 'the fault scenarios, small', (engine) => {
  test(
    'refusals are free',
    async () => {
      expect(await missed(refusalsAreFree, engine.name, '0.01')).toEqual([])
    },
    SLOW_MACHINE_MS,
  )
})

describe('the fault scenarios, small', () => {
  test(
    'a killed server',
    async () => {
      expect(await missed(kills, 'sqlite', '0.005')).toEqual([])
    },
    SLOW_MACHINE_MS,
  )
})
