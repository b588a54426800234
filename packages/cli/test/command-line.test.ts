import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const ESCAPE = '\u001b['

describe('usage', () => {
  test('--version prints the package’s version and nothing else', async () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    const { exitCode, stdout } = await runSvc('/', ['--version'])
    expect(exitCode).toBe(0)
    expect(manifest).toContain(`"version": "${stdout.trim()}"`)
  })

  test.each([
    [['--help'], 'deploy'],
    [['deploy', '--help'], '--dry-run'],
    [['--help'], 'SVC_BASE_URL'],
  ])('%j goes to stdout and names %s', async (args, expected) => {
    const { exitCode, stdout, stderr } = await runSvc('/', args)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(expected)
    expect(stderr).toBe('')
  })

  test.each([
    [['--nope'], "unknown option '--nope'"],
    [['deploy', '--dryrun'], 'Did you mean --dry-run?'],
    [['status', '--json'], "unknown option '--json'"],
    [['deplo'], 'Did you mean deploy?'],
    [['status', 'extra'], 'too many arguments'],
    [[], 'Usage: svc'],
  ])('%j is wrong usage: exit code 2, told on stderr', async (args, expected) => {
    const { exitCode, stdout, stderr } = await runSvc('/', args)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(expected)
    expect(stdout).toBe('')
  })
})

describe('colour', () => {
  const printed = async (isTTY: boolean, env: Record<string, string>) => {
    const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': statusReply(['order-status']) })
    const all = { ...controlPlane.env(DEPLOY_KEY), TERM: 'xterm', ...env }
    const { stdout } = await runSvc(createProject(shopProject()), ['status'], { env: all, isTTY })
    expect(stdout).toContain('+ refund')
    return stdout
  }

  test.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a terminal that is dumb', true, { TERM: 'dumb' }, false],
    ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ] as const)('%s', async (_name, isTTY, env, isColored) => {
    expect((await printed(isTTY, env)).includes(ESCAPE)).toBe(isColored)
  })
})
