import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { filePathProblem } from './file-path-problem.ts'
import { writeProjectFile } from './write-project-file.ts'

const CACHE_FILE = '.svc/generate.cache.json'
const VERSION = 1

const Digest = z.string().regex(/^[0-9a-f]{64}$/)
const RememberedRuntime = z.strictObject({
  baseUrl: z.string(),
  runtimeId: z.string(),
  name: z.string().nullable(),
  publicUrl: z.string().nullable(),
})
export type RememberedRuntime = z.infer<typeof RememberedRuntime>

const GenerationCache = z.strictObject({
  version: z.literal(VERSION),
  /** What each generator was given and made. Files are deleted by these paths, so they are held to the same rules. */
  generators: z.record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/),
    z.strictObject({
      inputs: Digest,
      files: z.record(
        z.string().refine((path) => filePathProblem(path) === null),
        Digest,
      ),
    }),
  ),
  /** Which runtime a deploy key is of, by the digest of the key and the control plane’s address. */
  runtimes: z.record(Digest, RememberedRuntime),
})
export type GenerationCache = z.infer<typeof GenerationCache>

/** What the last run left behind. A cache that is absent, damaged or of another version is an empty one. */
export function readCache(projectFolder: string): GenerationCache {
  try {
    return GenerationCache.parse(JSON.parse(readFileSync(join(projectFolder, CACHE_FILE), 'utf8')))
  } catch {
    return { version: VERSION, generators: {}, runtimes: {} }
  }
}

export function writeCache(projectFolder: string, cache: GenerationCache): void {
  writeProjectFile(projectFolder, CACHE_FILE, `${JSON.stringify(cache, null, 2)}\n`)
}
