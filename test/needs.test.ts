import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inspectMachine } from '../packages/testkit/src/needs/known-needs.ts'
import { DEAD_PORT } from './support/programs.ts'
import { ROOT } from './support/source-tree.ts'

/** A `PATH` on which there is nothing but Node. */
function barePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-path-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(process.execPath, join(folder, 'node'))
  return folder
}

/** Runs one test file as `npm test` would, in this environment and no other. */
function runTests(file: string, environment: Record<string, string>) {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const env = { HOME: process.env['HOME'], NO_COLOR: '1', ...environment }
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [vitest, 'run', file], { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, stdout, stderr }),
    )
  })
}

// holds OPS-10
test('a run says which engines it tests on, and that nothing was skipped', async () => {
  const { code, stdout } = await runTests('packages/contract/test/keys.test.ts', { PATH: process.env['PATH'] ?? '' })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^engines: SQLite(, PostgreSQL)?$/m)
  expect(stdout.trim().split('\n').at(-1)).toBe('No test was skipped for want of a program or a server.')
}, 60_000)

// holds OPS-10
test('a run ends with what it skipped and what would have to be there', async () => {
  const { code, stdout } = await runTests('test/docs/signing.test.ts', { PATH: barePath() })
  expect(code).toBe(0)
  expect(stdout.trim().split('\n').slice(-5)).toEqual([
    'Skipped, because this machine does not have:',
    '  1 test for want of python3: apt-get install python3',
    '  1 test for want of go: apt-get install golang-go',
    '  1 test for want of php: apt-get install php-cli',
    '  1 test for want of openssl: apt-get install openssl',
  ])
}, 60_000)

// holds OPS-10
test('under CI a run fails before its first test, and names everything that it would have skipped', async () => {
  const { code, stdout, stderr } = await runTests('packages/contract/test/keys.test.ts', {
    PATH: barePath(),
    CI: 'true',
  })
  expect({ code, ran: stdout.includes('keys.test.ts') }).toEqual({ code: 1, ran: false })
  expect(stderr).toContain('no test may be skipped under CI')
  expect(stderr).toContain('wrk: apt-get install wrk')
  expect(stderr).not.toContain('haproxy-3')
}, 60_000)

// holds OPS-10
test.each([
  ['SVC_TEST_DATABASE_URL', `postgres://postgres@127.0.0.1:${DEAD_PORT}`, 'postgres'],
  ['SVC_TEST_REDIS_URL', `redis://127.0.0.1:${DEAD_PORT}`, 'redis'],
  ['CHROMIUM_PATH', '/nowhere/chromium', 'chromium'],
])('a machine whose %s leads nowhere is a fault, and no reason to skip', async (variable, value, need) => {
  const env = { PATH: process.env['PATH'] ?? '', [variable]: value }
  await expect(inspectMachine(env)).rejects.toThrow(`${variable} is set, but ${need} is not found there`)
})
