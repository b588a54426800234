import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const IMPORT = /from '([^']+)'/g

/** Every module that the package’s main entry reaches inside the package, with what each imports. */
function modulesReachedFrom(entry: URL, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(entry.href)) return seen
  const source = readFileSync(entry, 'utf8')
  const imports = [...source.matchAll(IMPORT)].flatMap((match) => match[1] ?? [])
  seen.set(entry.href, imports)
  for (const path of imports.filter((each) => each.startsWith('.'))) modulesReachedFrom(new URL(path, entry), seen)
  return seen
}

test('the core imports nothing but the contract, so that it runs wherever Request does', () => {
  const modules = modulesReachedFrom(new URL('../src/index.ts', import.meta.url))
  const foreign = [...modules.values()].flat().filter((path) => !path.startsWith('.'))
  expect(modules.size).toBeGreaterThan(10)
  expect([...new Set(foreign)].sort()).toEqual(['@svc/contract'])
})

test('the testing kit imports nothing but the contract either', () => {
  const modules = modulesReachedFrom(new URL('../src/testing/index.ts', import.meta.url))
  const foreign = [...modules.values()].flat().filter((path) => !path.startsWith('.'))
  expect([...new Set(foreign)].sort()).toEqual(['@svc/contract'])
})

test('the core uses no global that only Node has', () => {
  const modules = modulesReachedFrom(new URL('../src/index.ts', import.meta.url))
  const users = [...modules.keys()].filter((href) =>
    /\b(Buffer|process|setImmediate|require)[.(]/.test(withoutComments(href)),
  )
  expect(users).toEqual([])
})

function withoutComments(href: string): string {
  return readFileSync(new URL(href), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
