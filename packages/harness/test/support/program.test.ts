import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../../src/support/program.ts'
import { exactly, type Scenario } from '../../src/support/scenario.ts'

const SCENARIO: Scenario = {
  name: 'kills',
  title: 'Kills',
  engines: ['sqlite'],
  run: async () => [exactly('lost', 0, 0)],
}

async function told(args: readonly string[], scenarios: readonly Scenario[] = [SCENARIO]) {
  const written: string[] = []
  const own = {
    pid: 0,
    on: () => {},
    kill: () => {},
    argv: ['node', 'fault', ...args],
    env: {},
    stdout: { write: (text: string) => void written.push(text) },
    exit: (code: number): never => {
      throw new Error(`ended with ${code}`)
    },
  }
  return { code: await runProgram('fault', scenarios, own), text: written.join('') }
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-program-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('asked for help it prints its options and ends well', async () => {
  const { code, text } = await told(['--help'])
  expect(code).toBe(0)
  expect(text).toMatch(/^Options:\n {2}--help/)
})

test.each([
  [['--nothing'], /^Unknown option '--nothing'\.\n\nOptions:/],
  [['kills'], /^Unexpected argument 'kills'\.\n\nOptions:/],
  [['--scale', 'x'], /^--scale: .*number.*\.\n\nOptions:/],
  [['--only', 'kills,naps'], /^There is no scenario named naps: --list prints them\.\n$/],
  [['--page', '/nowhere/page.md'], /^\/nowhere\/page\.md is not there\.\n$/],
  [['--server', '/nowhere'], /^\/nowhere is not there: run “npm run build” first\.\n$/],
])('asked for what it does not know, %j, it says so in a sentence', async (args, sentence) => {
  const { code, text } = await told(args)
  expect(code).toBe(2)
  expect(text).toMatch(sentence)
  expect(text).not.toMatch(/\bat \S+ \(|node:internal|ERR_/)
})

test('a run puts its tables into every page that has a place for them, and names those that none has', async () => {
  const server = folder()
  const [one, other] = [join(server, 'one.md'), join(server, 'other.md')]
  writeFileSync(one, '<!-- measured: fault runs -->\n')
  writeFileSync(other, '<!-- measured: fault kills checks -->\n')
  const scenario: Scenario = {
    ...SCENARIO,
    tables: ['costs'],
    async run(context) {
      context.table({ name: 'costs', head: ['', 'ms'], rows: [] })
      return SCENARIO.run(context)
    },
  }
  const { code, text } = await told(['--server', server, '--page', `${one},${other}`, '--seed', '7'], [scenario])
  expect(code).toBe(0)
  expect(readFileSync(one, 'utf8')).toMatch(/\| `kills` \| in full, [-\d]{10}: all 1 met \|/)
  expect(readFileSync(other, 'utf8')).toMatch(/\| lost \| = 0 \| 0: pass \|/)
  expect(text).toContain('no place in')
  expect(text).toContain('“fault kills costs”')
})
