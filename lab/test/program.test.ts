import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../src/support/program.ts'
import { exactly, type Scenario } from '../src/support/scenario.ts'

const SCENARIO: Scenario = {
  name: 'kills',
  title: 'Kills',
  engines: ['sqlite'],
  run: async () => [exactly('lost', 0, 0)],
}

async function runWith(args: readonly string[], scenario: Scenario = SCENARIO) {
  const written: string[] = []
  const server = mkdtempSync(join(tmpdir(), 'svc-program-'))
  onTestFinished(() => rmSync(server, { recursive: true, force: true }))
  const own = {
    pid: 0,
    kill: () => true as const,
    once: () => process,
    env: {},
    stdout: { write: (text: string) => void written.push(text) },
    exit: (code: number): never => {
      throw new Error(`ended with ${code}`)
    },
  }
  const given = args.includes('--server') ? args : [...args, '--server', server]
  return { code: await runProgram({ fault: [scenario] }, given, own), text: written.join('') }
}

test('a run prints its checks as Markdown and ends with 0, or with 1 where a mark was missed', async () => {
  const passed = await runWith(['fault', '--seed', '7'])
  expect(passed.code).toBe(0)
  expect(passed.text).toContain('| lost | = 0 | 0: pass |')
  const missed = await runWith(['fault'], { ...SCENARIO, run: async () => [exactly('lost', 2, 0)] })
  expect(missed.code).toBe(1)
  expect(missed.text).toContain('| lost | = 0 | 2: **missed** |')
})

test('a scenario that throws has failed, and is cleaned up after', async () => {
  let isCleanedUp = false
  const run: Scenario['run'] = async ({ onEnd }) => {
    onEnd(() => {
      isCleanedUp = true
    })
    throw new Error('no disk')
  }
  const { code, text } = await runWith(['fault'], { ...SCENARIO, run })
  expect([code, isCleanedUp]).toEqual([1, true])
  expect(text).toMatch(/the scenario ran to its end \| no error \| Error: no disk/)
})

test('a scenario that takes too long ends the run', async () => {
  const run = () => new Promise<never>(() => {})
  await expect(runWith(['fault', '--limit', '0.0001'], { ...SCENARIO, run })).rejects.toThrow('ended with 1')
})

test.each([
  [['nothing'], /^name one of fault/],
  [['fault', '--nothing'], /^Unknown option '--nothing'/],
  [['fault', '--scale', 'x'], /^--scale takes a number/],
  [['fault', '--engine', 'x'], /^--engine x is unknown/],
  [['fault', '--only', 'kills,naps'], /^There is no scenario named naps/],
  [['fault', '--server', '/nowhere'], /^\/nowhere is not there: run “npm run build” first/],
])('%j is refused with a sentence and the options', async (args, sentence) => {
  const { code, text } = await runWith(args)
  expect(code).toBe(2)
  expect(text).toMatch(sentence)
  expect(text).toContain('Options:')
})
