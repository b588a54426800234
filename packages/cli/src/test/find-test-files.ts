import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { usageFailure } from '../failures.ts'

const TEST_FILE = /\.svc-test\.(?:ya?ml|ts)$/
const IGNORED = new Set(['node_modules', 'dist', 'build', 'coverage'])

/** The test files that were named, folders searched; without names those of the project’s folder. Sorted by path. */
export function findTestFiles(named: readonly string[], { cwd, folder }: { cwd: string; folder: string }): string[] {
  const found = named.length === 0 ? search(folder) : named.flatMap((name) => namedFiles(name, resolve(cwd, name)))
  if (found.length > 0) return [...new Set(found)].sort()
  throw usageFailure('There is no test.', [
    'Write one, tests/first.svc-test.yaml for example:',
    '',
    ...EXAMPLE.map((line) => `  ${line}`),
  ])
}

const EXAMPLE = [
  'turns:',
  '  - user: What does the customer ask?',
  '    model: [{ call: my-capability, input: {} }, { say: The answer. }]',
  '    expect:',
  '      calls: [{ capability: my-capability }]',
]

function namedFiles(name: string, path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return search(path)
  if (!found) throw usageFailure(`There is no file or folder ${name}.`)
  if (TEST_FILE.test(path)) return [path]
  throw usageFailure(`${name} is no test: the name of one ends with .svc-test.yaml or .svc-test.ts.`)
}

function search(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return TEST_FILE.test(entry.name) ? [path] : []
    return IGNORED.has(entry.name) || entry.name.startsWith('.') ? [] : search(path)
  })
}
