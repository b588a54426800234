import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { JsonObject } from '@svc/contract'

const GENERATED = '.svc/generated'

export const CAPABILITIES = `${GENERATED}/capability-manifest/capabilities.json`
export const RUNTIME = `${GENERATED}/runtime-manifest/runtime.json`
export const OPENAPI = `${GENERATED}/openapi/openapi.json`
export const ADP = `${GENERATED}/adp/agent-discovery.json`
export const TEST_TYPES = `${GENERATED}/test-types/capabilities.d.ts`
export const BUILT_IN_FILES = [CAPABILITIES, RUNTIME, OPENAPI, ADP, TEST_TYPES]
export const CACHE = '.svc/generate.cache.json'

/** Every file under `.svc/generated`, links left out, and the cache where there is one, by path from the project’s folder. */
export function generatedFiles(folder: string): Record<string, string> {
  const root = join(folder, GENERATED)
  const below = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : []
  const paths = below
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const all = existsSync(join(folder, CACHE)) ? [...paths, CACHE] : paths
  return Object.fromEntries(all.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

export function readJson(folder: string, path: string): JsonObject {
  return JsonObject.parse(JSON.parse(readFileSync(join(folder, path), 'utf8')))
}

/** A configuration with this text in its `generators` block. */
export function withGenerators(config: string, generators: string): string {
  return config.replace('agent:', `generators: { ${generators} },\n  agent:`)
}

/** A custom generator in the source of a configuration. Its inputs are `1` and it makes one file unless it is told otherwise. */
export function generatorSource(fields: { name?: string; inputs?: string; generate?: string }): string {
  const { name = 'notes', inputs = '() => 1', generate = "() => [{ path: 'notes.txt', contents: 'Hello' }]" } = fields
  return `{ name: '${name}', inputs: ${inputs}, generate: ${generate} }`
}
