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
    ...['SVC_API_KEY', 'SVC_BASE_URL', 'SVC_RUNTIME_ID', 'SVC_RUNTIME_SECRET', 'SVC_ACCOUNT_KEY', 'PORT'].map(
      (name): [string[], string] => [['--help'], `  ${name} `],
    ),
  ])('%j goes to stdout and names %s', async (args, expected) => {
    const { exitCode, stdout, stderr } = await runSvc('/', args)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(expected)
    expect(stderr).toBe('')
  })

  test.each([
    [['--nope'], "Unknown option '--nope'."],
    [['deploy', '--dryrun'], 'Did you mean --dry-run?'],
    [['dev', 'call', 'x', '--nope'], 'Run `svc dev call --help`'],
    [['status', '--cwd', '--json'], "Option '--cwd <folder>' argument '--json' is invalid."],
    [['status', '--jsno'], 'Did you mean --json?'],
    [['deplo'], 'Did you mean deploy?'],
    [['status', 'extra'], 'Too many arguments'],
    [['status', '--cwd'], "Option '--cwd <folder>' argument missing."],
  ])('%j is wrong usage: exit code 2, told on stderr', async (args, expected) => {
    const { exitCode, stdout, stderr } = await runSvc('/', args)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(expected)
    expect(stderr).toMatch(/Run `svc [a-z ]*--help` to see what there is\./)
    expect(stdout.startsWith('{')).toBe(args.includes('--json'))
  })

  test.each([[['status']], [['dev', 'call']], [[]]])('help %j prints what --help prints there', async (path) => {
    const { exitCode, stdout } = await runSvc('/', ['help', ...path])
    expect(exitCode).toBe(0)
    expect(stdout).toBe((await runSvc('/', [...path, '--help'])).stdout)
  })

  test.each([[['--port', '1']], [['--check']], [['--no-watch']]])(
    'dev call refuses %j, an option of dev alone, wherever it stands',
    async (option) => {
      for (const args of [
        ['dev', 'call', 'refund', ...option],
        ['dev', ...option, 'call', 'refund'],
      ]) {
        const { exitCode, stderr } = await runSvc('/', args)
        expect(exitCode).toBe(2)
        expect(stderr).toContain(`${option[0]} is an option of svc dev`)
      }
    },
  )

  test.each([
    [['help', 'deplo'], "✖ Unknown command 'deplo'.\n  Did you mean deploy?\n"],
    [['help', 'dev', 'cal'], "✖ Unknown command 'cal'.\n  Did you mean call?\n"],
    [['help', 'nothing-like-it'], "✖ Unknown command 'nothing-like-it'.\n  Run `svc --help`"],
  ])('%j names the word that is no command, with exit code 2', async (args, expected) => {
    const { exitCode, stdout, stderr } = await runSvc('/', args)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(expected)
    expect(stdout).toBe('')
  })

  test('without a command the help is printed on stderr, with exit code 2', async () => {
    const { exitCode, stdout, stderr } = await runSvc('/', [])
    expect(exitCode).toBe(2)
    expect(stderr).toBe((await runSvc('/', ['--help'])).stdout)
    expect(stdout).toBe('')
  })

  test('the help of each command has its options, the global ones and examples', async () => {
    const seen: string[] = []
    const check = async (path: string[]) => {
      const { stdout } = await runSvc('/', [...path, '--help'])
      expect(stdout, path.join(' ')).toContain(`Usage: ${['svc', ...path].join(' ')} `)
      const [commands = ''] = (stdout.split('\nCommands:\n')[1] ?? '').split('\n\n')
      const below = [...commands.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name)
      for (const name of below) if (name !== 'help') await check([...path, name])
      if (path.length === 0) return
      seen.push(path.join(' '))
      expect(stdout, path.join(' ')).toMatch(/^Global Options:\n(?: .*\n)* {2}--json /m)
      if (below.length === 0) expect(stdout, path.join(' ')).toMatch(/^Examples:\n(?: .*\n)* {2}svc /m)
    }
    await check([])
    expect(seen).toEqual(
      expect.arrayContaining(['init', 'dev', 'generate', 'deploy', 'status', 'manifest pull', 'whoami', 'open']),
    )
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
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a terminal with both', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a terminal that is dumb', true, { TERM: 'dumb' }, false],
    ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ] as const)('%s', async (_name, isTTY, env, isColored) => {
    expect((await printed(isTTY, env)).includes(ESCAPE)).toBe(isColored)
  })
})
