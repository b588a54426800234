import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSvc } from '../../packages/cli/test/support/run-svc.ts'
import { parseAdminCommand } from '../../packages/server/src/admin/parse-command.ts'
import { typeFaults } from '../support/check-samples.ts'
import { commandProblem, readHelp } from '../support/command-line-help.ts'
import { PAGES, parseSamples, type Sample, samplesOf } from '../support/doc-samples.ts'
import { commandsIn, type ShellCommand } from '../support/shell-commands.ts'
import { ROOT } from '../support/source-tree.ts'

const samples = PAGES.flatMap(samplesOf).filter((sample) => sample.skipped === null)
const inLanguage = (...languages: string[]) => samples.filter(({ language }) => languages.includes(language))

test('every TypeScript sample of every page type-checks under strict rules', () => {
  const typescript = inLanguage('ts', 'tsx')
  expect(typescript.length).toBeGreaterThan(3)
  expect(typeFaults(typescript)).toEqual([])
}, 300_000)

test('every JSON sample of every page parses', () => {
  const faults = inLanguage('json').flatMap((sample) => {
    try {
      JSON.parse(sample.code)
      return []
    } catch (error) {
      return [`${place(sample)}: ${error instanceof Error ? error.message : String(error)}`]
    }
  })
  expect(faults).toEqual([])
})

test('every svc command of every page exists, and so do its options', async () => {
  const help = await readHelp(async (path) => (await runSvc(ROOT, [...path, '--help'], { env: {} })).stdout)
  expect([...help.commands.keys()]).toContain('deploy')
  const commands = shellCommands('svc')
  expect(commands.length).toBeGreaterThan(3)
  expect(problems(commands, (words) => commandProblem(help, words))).toEqual([])
})

test('every npm command of every page exists, and so does its script', () => {
  const commands = shellCommands('npm')
  expect(commands.length).toBeGreaterThan(3)
  expect(problems(commands, npmProblem)).toEqual([])
})

test('a sample is found with its file, its title and what its page hides from readers', () => {
  const page = [
    ...['Intro', '', '`src/a.ts`, on Node:', '', '```ts', 'one()', '```', ''],
    ...['<!-- sample: continues -->', '```ts', 'two()', '```', ''],
    ...['<!-- sample: with', 'declare const x: string', '-->', '```ts', 'x.trim()', '```'],
    ...['<!-- sample: file b.ts', 'export const b = 1', '-->'],
    ...['- in a list', '  ```json', '  {', '    "a": 1', '  }', '  ```'],
    ...['<!-- sample: skip, needs a network -->', '```sh', 'svc x', '```'],
  ]
  const found = parseSamples('p.md', page.join('\n'))
  expect(found.map(({ path, code, skipped }) => ({ path, code, skipped }))).toEqual([
    { path: 'src/a.ts', code: 'one()\ntwo()\n', skipped: null },
    { path: null, code: 'declare const x: string\nx.trim()\n', skipped: null },
    { path: 'b.ts', code: 'export const b = 1\n', skipped: null },
    { path: null, code: '{\n  "a": 1\n}\n', skipped: null },
    { path: null, code: 'svc x\n', skipped: 'needs a network' },
  ])
  expect(found[0]?.title).toBe('`src/a.ts`, on Node:')
})

test('a misspelt note, one without a reason, and a block without an end are faults', () => {
  expect(() => parseSamples('p.md', '<!-- sample: skipp, x -->')).toThrow('“sample: skipp” is none of')
  expect(() => parseSamples('p.md', '<!-- sample: skip -->\n```ts\n```')).toThrow('needs a reason')
  expect(() => parseSamples('p.md', 'text\n```ts\none()')).toThrow('p.md:2: this code block has no end')
})

test('samples of a page see its other files as they stand there, and each block without one is a module of its own', () => {
  const main = ["import { a } from './a.ts'", 'a.toFixed()', '```']
  const page = [
    ...['`main.ts`:', '```ts', ...main],
    ...['`main.ts`, once more:', '```ts', ...main],
    ...['`a.ts`:', '```ts', 'export const a = 1', '```'],
    ...['`a.ts`, in words:', '```ts', "export const a = 'one'", '```'],
    ...['`main.ts`, in words:', '```ts', ...main],
    ...['```ts', 'const b = 1', '```', '```ts', "const b = 'one'", 'b.trim()', '```'],
  ]
  const faults = typeFaults(parseSamples('p.md', page.join('\n')))
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/^p\.md:22: Property 'toFixed' does not exist/)
}, 60_000)

test('a command line is held against its tool’s help', async () => {
  const pages = new Map([
    ['', 'Usage: x [options] <command>\n\nOptions:\n  -q, --quiet  less\n\nCommands:\n  run [options] <file>  runs\n'],
    ['run', 'Usage: x run [options] <file>\n\nOptions:\n  --out <folder>  where\n'],
  ])
  const help = await readHelp(async (path) => pages.get(path.join(' ')) ?? '')
  const problemOf = (line: string) => commandProblem(help, line.split(' '))
  expect(['x run a.ts --out b -q', 'x -q', 'x run --out=b a.ts > c'].map(problemOf)).toEqual([null, null, null])
  expect(problemOf('x walk')).toBe('“x” has no command and takes no argument “walk”')
  expect(problemOf('x run a.ts --loud')).toBe('“x run” has no option --loud')
  expect(problemOf('x --out b')).toBe('“x” has no option --out')
})

test('commands are taken apart as a shell does it', () => {
  const script = 'cd app && A=1 npx svc deploy --dry-run # all\ncurl -d \'{"a": 1}\' \\\n  x#y | svc status'
  expect(commandsIn(script)).toEqual([
    ['cd', 'app'],
    ['svc', 'deploy', '--dry-run'],
    ['curl', '-d', '{"a": 1}', 'x#y'],
    ['svc', 'status'],
  ])
})

function place({ page, line }: Sample): string {
  return `${page}:${line}`
}

interface Placed {
  readonly sample: Sample
  readonly words: ShellCommand
}

function shellCommands(program: string): Placed[] {
  const all = inLanguage('sh').flatMap((sample) => commandsIn(sample.code).map((words) => ({ sample, words })))
  return all.filter(({ words }) => words[0] === program)
}

function problems(commands: readonly Placed[], problemOf: (words: ShellCommand) => string | null): string[] {
  return commands.flatMap(({ sample, words }) => {
    const problem = problemOf(words)
    return problem === null ? [] : [`${place(sample)}: ${words.join(' ')}: ${problem}`]
  })
}

const NPM_COMMANDS = ['install', 'ci', 'pack', 'ls']

function npmProblem([, command = '', ...rest]: ShellCommand): string | null {
  if (NPM_COMMANDS.includes(command)) return null
  const words = rest.filter((word) => word !== '-s')
  const [script = '', dashes, ...args] = command === 'run' ? words : [command, ...words]
  if (!scripts().has(script)) return `there is no script “${script}”`
  if (script !== 'admin') return null
  const parsed = parseAdminCommand(dashes === '--' ? args.filter((_, at) => !args.slice(0, at + 1).includes('<')) : [])
  return parsed.ok ? null : parsed.problem
}

/** The scripts of this clone, and those of a project that a page shows or `svc init` makes. */
function scripts(): Set<string> {
  const packages = [readFileSync(join(ROOT, 'package.json'), 'utf8'), ...inLanguage('json').map(({ code }) => code)]
  return new Set(packages.flatMap((text) => Object.keys(scriptsIn(JSON.parse(text)))))
}

function scriptsIn(value: unknown): object {
  const isProject = typeof value === 'object' && value !== null && 'scripts' in value
  return isProject && typeof value.scripts === 'object' && value.scripts !== null ? value.scripts : {}
}
