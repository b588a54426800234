import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// Neither of them compiles code, so that both work where `eval` does not.
const DEPENDENCIES = ['@cfworker/json-schema', 'zod']

const folder = new URL('../src/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const sources = files.map((file) => ({ file, source: readFileSync(new URL(file, folder), 'utf8') }))

test('the package imports zod, the JSON Schema validator and its own files, and nothing else', () => {
  const imported = sources.flatMap(({ source }) =>
    [...source.matchAll(/(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g)].flatMap((match) => match[1] ?? []),
  )
  expect(sources.length).toBeGreaterThan(10)
  expect(imported.length).toBeGreaterThan(20)
  expect([...new Set(imported.filter((path) => !/^\.\/[a-z-]+\.ts$/.test(path)))].sort()).toEqual(DEPENDENCIES)
})

test('the package uses no global that only Node has', () => {
  const users = sources.filter(({ source }) =>
    /\b(?:Buffer|process|global|setImmediate|__dirname|__filename)\b\s*[.([]/.test(codeOf(source)),
  )
  expect(users.map(({ file }) => file)).toEqual([])
})

test('the package does nothing at import but define: no clock, no chance, no network', () => {
  const users = sources.filter(({ source }) => /\b(?:Date\.now|Math\.random|fetch|setTimeout)\b/.test(codeOf(source)))
  expect(users.map(({ file }) => file)).toEqual([])
})

test('they are its only dependencies', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(Object.keys(manifest.dependencies).sort()).toEqual(DEPENDENCIES)
})

// Without comments and plain strings, which may speak of anything.
function codeOf(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
}
