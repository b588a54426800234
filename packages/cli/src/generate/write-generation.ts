import { removeGeneratedFile, writeGeneratedFile } from './generated-file.ts'
import { type GenerationCache, writeCache } from './generation-cache.ts'
import type { PlannedGenerator } from './plan-generation.ts'

type Input = {
  readonly projectFolder: string
  readonly plan: readonly PlannedGenerator[]
  readonly cache: GenerationCache
  readonly runtimes: GenerationCache['runtimes']
}

/** Writes what was planned, and the cache last: where it is interrupted, the next run finds that files differ from it. */
export function writeGeneration({ projectFolder, plan, cache, runtimes }: Input): void {
  for (const { name: generator, files } of plan) {
    for (const file of files) {
      const name = { projectFolder, generator, path: file.path }
      if (file.status === 'removed') removeGeneratedFile(name)
      if ('contents' in file) writeGeneratedFile(name, file.contents)
    }
  }
  const next = { version: cache.version, generators: recordOf(plan), runtimes }
  if (JSON.stringify(next) !== JSON.stringify(cache)) writeCache(projectFolder, next)
}

function recordOf(plan: readonly PlannedGenerator[]): GenerationCache['generators'] {
  const present = plan.filter(({ status }) => status !== 'removed')
  return Object.fromEntries(present.map(({ name, inputs, files }) => [name, { inputs, files: digests(files) }]))
}

function digests(files: PlannedGenerator['files']): Record<string, string> {
  return Object.fromEntries(files.flatMap((file) => (file.status === 'removed' ? [] : [[file.path, file.digest]])))
}
