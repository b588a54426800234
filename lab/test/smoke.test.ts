import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { needs } from '@svc/testkit/needs'
import { describe, expect, test, vi } from 'vitest'
import { describeEngine } from '../../packages/server/test/support/engines.ts'

vi.setConfig({ testTimeout: 240_000 })

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** Runs scenarios at a scale at which they strike and show nothing, and gives the missed checks, but for times and rates. */
async function missedBy(program: string, scenarios: string, engine: string, scale: string): Promise<string[]> {
  const args = [program, '--only', scenarios, '--engine', engine, '--scale', scale, '--seed', '7']
  const { stdout, stderr } = await startProgram(process.execPath, [PROGRAM, ...args], { env: process.env }).ended
  for (const scenario of scenarios.split(',')) expect(stdout + stderr).toContain(scenario)
  expect(stdout).toMatch(/\| check \| pass mark \| measured \|/)
  const missed = stdout.split('\n').filter((line) => line.includes('**missed**'))
  return missed.filter(
    (line) => !/\d m?s: \*\*missed|seconds after|p99|p50|processor time|calls\/s|CPU|memory/.test(line),
  )
}

describeEngine('sqlite', 'faults, at a tiny scale,', ({ name }) => {
  // One scenario proves the program. What the others strike at is held by tests of the server.
  test('strike, and kills finds nothing', async () => {
    expect(await missedBy('fault', 'kills', name, '0.005')).toEqual([])
  })
})

describeEngine('sqlite', 'hostile input, at a tiny scale,', ({ name }) => {
  test('strikes, and requests find nothing', async () => {
    expect(await missedBy('fuzz', 'requests', name, '0.002')).toEqual([])
  })
})

needs('network-namespaces')('addresses', () => {
  test('run in a network namespace, and find nothing', async () => {
    expect(await missedBy('fuzz', 'ssrf', 'sqlite', '0.002')).toEqual([])
  })
})

describe('a benchmark, at a tiny scale,', () => {
  test('runs to its end, and its counts are right', async () => {
    expect(await missedBy('bench', 'growth', 'sqlite', '0.001')).toEqual([])
  })
})
