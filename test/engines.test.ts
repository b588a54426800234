import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { DEAD_PORT } from './support/programs.ts'
import { ROOT } from './support/source-tree.ts'

const run = promisify(execFile)

/** Runs one small test file as `npm test` would, with this much of an environment. */
function runTests(environment: Record<string, string>) {
  const args = ['run', 'packages/contract/test/keys.test.ts', '--no-color']
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment }
  return run(join(ROOT, 'node_modules/.bin/vitest'), args, { cwd: ROOT, env })
}

test('a run says which engines it tests on, and why not on PostgreSQL', async () => {
  const { stdout } = await runTests({})
  expect(stdout).toMatch(/^engines: SQLite, (PostgreSQL|not PostgreSQL \(.+\))$/m)
}, 60_000)

test('a run that was given a server which does not answer fails instead of leaving an engine out', async () => {
  const server = `postgres://postgres@127.0.0.1:${DEAD_PORT}`
  const failed = await runTests({ SVC_TEST_DATABASE_URL: server }).catch((error: unknown) => error)
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PostgreSQL is required and does not answer'),
  })
}, 60_000)
