import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { needs } from '@svc/testkit/needs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { describeEngine } from '../../server/test/support/engines.ts'

vi.setConfig({ testTimeout: 240_000 })

const PROGRAM = fileURLToPath(new URL('../dist/fuzz/main.js', import.meta.url))
const Outcomes = z.array(
  z.object({
    scenario: z.string(),
    checks: z.array(z.object({ what: z.string(), measured: z.string(), passMark: z.string(), passed: z.boolean() })),
  }),
)

/** Runs scenarios at a scale at which they strike and show nothing, and gives what was missed, but for times. */
async function run(only: string, ...more: readonly string[]): Promise<{ ran: string[]; missed: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-smoke-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const results = join(folder, 'results.json')
  const args = [PROGRAM, '--only', only, '--scale', '0.002', '--seed', '7', '--results', results, ...more]
  await startProgram(process.execPath, args, { env: process.env }).ended
  const outcomes = Outcomes.parse(JSON.parse(readFileSync(results, 'utf8')))
  const missed = outcomes.flatMap(({ scenario, checks }) =>
    checks
      .filter(({ passed, passMark }) => !passed && !passMark.endsWith(' ms'))
      .map(({ what, measured }) => `${scenario}: ${what}: ${measured}`),
  )
  return { ran: outcomes.map(({ scenario }) => scenario), missed }
}

// server/test/http/fuzz.test.ts sends hostile bodies and addresses on both engines.
describeEngine('sqlite', 'hostile requests and origins', ({ name }) => {
  test('run, and find nothing', async () => {
    const { ran, missed } = await run('requests,origins', '--engine', name)
    expect(new Set(ran)).toEqual(new Set(['requests', 'origins']))
    expect(missed).toEqual([])
  })
})

// Its look-ups take longest there.
describeEngine('postgres', 'the times of the broker’s 404s', ({ name }) => {
  test('are measured, and tell nothing', async () => {
    const { ran, missed } = await run('broker-timing', '--engine', name)
    expect(new Set(ran)).toEqual(new Set(['broker-timing']))
    expect(missed).toEqual([])
  })
})

// Both bounds are held in memory, whatever the engine.
describeEngine('sqlite', 'greedy accounts', ({ name }) => {
  test('are tried, and keep nobody out', async () => {
    const { ran, missed } = await run('fairness', '--engine', name)
    expect(new Set(ran)).toEqual(new Set(['fairness']))
    expect(missed).toEqual([])
  })
})

describeEngine('sqlite', 'wide answers', ({ name }) => {
  test('are refused or taken as they should be', async () => {
    expect(await run('wide-answers', '--engine', name)).toEqual({ ran: ['wide-answers'], missed: [] })
  })
})

needs('network-namespaces')('addresses', () => {
  test('run in a network namespace, and find nothing', async () => {
    expect(await run('ssrf')).toEqual({ ran: ['ssrf'], missed: [] })
  })
})
