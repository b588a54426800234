import { fileURLToPath } from 'node:url'
import { needs } from '@svc/testkit/needs'
import { expect, test } from 'vitest'
import { BENCH_SCENARIOS } from '../../src/bench/scenarios.ts'
import { runScenarios } from '../../src/support/run-scenarios.ts'

const SERVER_FOLDER = fileURLToPath(new URL('../../../server/dist/', import.meta.url))
/** What holds at any size and on a machine under any load; the rest are figures. */
const CERTAIN = /in the summary|not answered with 200|executions completed/

const CASES = [
  { name: 'growth', engine: 'sqlite', needed: [] },
  { name: 'growth', engine: 'postgres', needed: ['postgres-programs'] },
  { name: 'replicas', engine: 'postgres', needed: ['postgres-programs'] },
] as const

for (const { name, engine, needed } of CASES)
  needs(...needed)(`the benchmark ${name} (${engine})`, () => {
    test('runs to its end at a thousandth of its size, and what it counts is right', { timeout: 240_000 }, async () => {
      const outcomes = await runScenarios(
        BENCH_SCENARIOS,
        {
          only: [name],
          seed: 1,
          engines: [engine],
          scale: 0.001,
          limitMs: 3_600_000,
          allowsSkips: false,
          resultsFile: null,
          serverFolder: null,
          pages: [],
          isList: false,
          isHelp: false,
        },
        { env: process.env, serverFolder: SERVER_FOLDER, now: Date.now, write: () => undefined },
      )
      const checks = outcomes.flatMap((outcome) => outcome.checks)
      expect(checks.filter(({ what }) => what === 'the scenario ran to its end')).toEqual([])
      const certain = checks.filter(({ what }) => CERTAIN.test(what))
      expect(certain.length).toBeGreaterThanOrEqual(2)
      expect(certain.filter(({ passed }) => !passed)).toEqual([])
    })
  })
