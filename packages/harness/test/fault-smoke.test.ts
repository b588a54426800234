import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { describeEngine } from '../../server/test/support/engines.ts'

// Some fifteen seconds where the machine is free.
vi.setConfig({ testTimeout: 240_000 })

const PROGRAM = fileURLToPath(new URL('../dist/fault/main.js', import.meta.url))
const Outcomes = z.array(
  z.object({
    scenario: z.string(),
    checks: z.array(z.object({ what: z.string(), measured: z.string(), passMark: z.string(), passed: z.boolean() })),
  }),
)

/** Runs one scenario at a scale at which it strikes and shows nothing, and gives what was missed, but for times. */
async function missedBy(scenario: string, engine: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-smoke-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const results = join(folder, 'results.json')
  const args = ['--only', scenario, '--engine', engine, '--scale', '0.004', '--seed', '7', '--results', results]
  const { stdout } = await startProgram(process.execPath, [PROGRAM, ...args], { env: process.env }).ended
  const outcomes = Outcomes.parse(JSON.parse(readFileSync(results, 'utf8')))
  expect(
    outcomes.map((outcome) => outcome.scenario),
    stdout,
  ).toEqual([scenario])
  return outcomes.flatMap(({ checks }) =>
    checks
      .filter(({ passed, what }) => !passed && !/seconds after/.test(what))
      .map(({ what, measured }) => `${what}: ${measured}`),
  )
}

describeEngine('sqlite', 'models that fail, at a tiny scale', ({ name }) => {
  test('strike, and nothing is found', async () => {
    expect(await missedBy('model-faults', name)).toEqual([])
  })
})

// Each rotation is a transaction that callers meet.
describeEngine('postgres', 'secrets that are rotated, at a tiny scale', ({ name }) => {
  test('strike, and nothing is found', async () => {
    expect(await missedBy('rotation', name)).toEqual([])
  })
})
