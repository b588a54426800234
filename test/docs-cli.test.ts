import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcConfig } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { deployReply, startControlPlane, statusReply } from '../packages/cli/test/support/fake-control-plane.ts'
import { DEPLOY_KEY } from '../packages/cli/test/support/keys.ts'
import { createProject, shopProject } from '../packages/cli/test/support/project.ts'
import { runSvc } from '../packages/cli/test/support/run-svc.ts'
import { type CommandHelp, readHelp } from './support/command-line-help.ts'
import { ROOT } from './support/source-tree.ts'

const read = (page: string) => readFileSync(join(ROOT, 'docs', page), 'utf8')

const GLOBAL = 'Options of every command'

/** What each section of the page says, by its title without code quotes and arguments: `svc dev call`. */
function sections(): Map<string, string> {
  const parts = read('cli.md').split(/^## /m)
  return new Map(parts.map((part) => [part.split('\n', 1)[0]?.replaceAll('`', '').split(/ [<[]/)[0] ?? '', part]))
}

/** The options in the first column of a section’s tables. */
function optionsIn(section: string): string[] {
  return [...section.matchAll(/^\| (`-.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/(?<![\w-])--?[a-zA-Z][\w-]*/g)].map(([option]) => option),
  )
}

/** The commands that can be run, `svc dev call`, each with its options. */
function runnable(help: CommandHelp, path = 'svc'): [string, string[]][] {
  const below = [...help.commands].flatMap(([name, command]) => runnable(command, `${path} ${name}`))
  const isGroup = path === 'svc' || path === 'svc manifest'
  return isGroup ? below : [[path, [...help.options.keys()]], ...below]
}

describe('the page on the command-line tool', () => {
  test('has a section for each command with exactly its options, and one for the global ones', async () => {
    const help = await readHelp(async (path) => (await runSvc(ROOT, [...path, '--help'], { env: {} })).stdout)
    const described = sections()
    const global = optionsIn(described.get(GLOBAL) ?? '')
    expect(global.sort()).toEqual([...help.options.keys()].sort())

    const commands = runnable(help)
    const titles = [...described.keys()].filter((title) => title.startsWith('svc '))
    expect(titles.sort()).toEqual(commands.map(([path]) => path).sort())
    for (const [path, options] of commands) {
      const own = options.filter((option) => !global.includes(option))
      expect(optionsIn(described.get(path) ?? '').sort(), path).toEqual(own.sort())
    }
  })

  test('shows the JSON of commands with the fields that they print', async () => {
    const controlPlane = await startControlPlane({
      'GET /v1/runtime/status': statusReply(['order-status'], 4, { name: 'Example Shop' }),
      'POST /v1/deployments': deployReply([{ name: 'order-status', hasInputSchema: true }]),
    })
    const folder = createProject(shopProject())
    const call = ['dev', 'call', 'refund', '--input', '{"id": "1"}']
    for (const args of [['status'], ['deploy'], ['generate'], ['dev', '--check'], call]) {
      const title = `svc ${args[0] === 'dev' && args[1] === 'call' ? 'dev call' : args[0]}`
      const [, example = '{}'] = /```json\n([\s\S]*?)```/.exec(sections().get(title) ?? '') ?? []
      const { stdout } = await runSvc(folder, [...args, '--json'], { env: controlPlane.env(DEPLOY_KEY) })
      const printed: object = JSON.parse(stdout)
      expect(printed, title).toMatchObject({ ok: true })
      expect(Object.keys(printed).sort(), title).toEqual(Object.keys(JSON.parse(example)).sort())
    }
  })
})

test('the page on configuration has a row for each field of svc.config.ts, and no other', () => {
  const [, section = ''] = /^## `svc\.config\.ts`\n([\s\S]*?)(?=^## )/m.exec(read('configuration.md')) ?? []
  const rows = [...section.matchAll(/^\| `([a-zA-Z.]+)` \|/gm)].map(([, field = '']) => field)
  const { website, adp, agent, generators, ...plain } = SvcConfig.shape
  const below = (name: string, shape: object) => Object.keys(shape).map((field) => `${name}.${field}`)
  expect(rows.sort()).toEqual(
    [
      ...Object.keys(plain),
      ...below('website', website.unwrap().shape),
      ...below('adp', adp.unwrap().shape),
      ...below('agent', agent.unwrap().shape),
      ...below('generators', generators.unwrap().shape),
    ].sort(),
  )
})
