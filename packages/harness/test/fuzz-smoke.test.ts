import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

vi.setConfig({ testTimeout: 240_000 })

const PROGRAM = fileURLToPath(new URL('../dist/fuzz/main.js', import.meta.url))
const Outcomes = z.array(
  z.object({
    scenario: z.string(),
    checks: z.array(z.object({ what: z.string(), measured: z.string(), passMark: z.string(), passed: z.boolean() })),
  }),
)

/** Runs scenarios at a scale at which they strike and show nothing, and gives what was missed, but for times. */
async function run(only: string): Promise<{ ran: string[]; missed: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-smoke-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const results = join(folder, 'results.json')
  const args = [PROGRAM, '--only', only, '--scale', '0.002', '--seed', '7', '--results', results]
  await startProgram(process.execPath, args, { env: process.env }).ended
  const outcomes = Outcomes.parse(JSON.parse(readFileSync(results, 'utf8')))
  const missed = outcomes.flatMap(({ scenario, checks }) =>
    checks
      .filter(({ passed, passMark }) => !passed && !passMark.endsWith(' ms'))
      .map(({ what, measured }) => `${scenario}: ${what}: ${measured}`),
  )
  return { ran: outcomes.map(({ scenario }) => scenario), missed }
}

test('requests and origins run, and find nothing', async () => {
  const { ran, missed } = await run('requests,origins')
  expect(new Set(ran)).toEqual(new Set(['requests', 'origins']))
  expect(missed).toEqual([])
})

test('wide answers are refused or taken as they should be', async () => {
  expect(await run('wide-answers')).toEqual({ ran: ['wide-answers', 'wide-answers'], missed: [] })
})

// A network namespace is root's alone to make.
test.runIf(userInfo().uid === 0)('addresses run in a namespace of their own, and find nothing', async () => {
  expect(await run('ssrf')).toEqual({ ran: ['ssrf'], missed: [] })
})
