import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandFailure } from '../failures.ts'
import type { Answers } from './answers.ts'
import { environmentFile, type RuntimeCredentials } from './templates/environment-file.ts'
import { IGNORED } from './templates/gitignore.ts'
import { packageJson } from './templates/package-json.ts'
import { OPENING_HOURS, RUNTIME, serverSource } from './templates/source-files.ts'
import { svcConfig } from './templates/svc-config.ts'
import { TSCONFIG_JSON } from './templates/tsconfig-json.ts'

export type ProjectFile = { readonly path: string; readonly contents: string; readonly mode?: number }

export type FileOutcome = { readonly path: string; readonly status: 'created' | 'kept' }

type Input = {
  readonly folder: string
  readonly answers: Answers
  readonly baseUrl: string
  readonly credentials: RuntimeCredentials | null
}

/** All files of a new project. `.env` comes first: what it holds cannot be had a second time. */
export function planFiles({ folder, answers, baseUrl, credentials }: Input): ProjectFile[] {
  const { port } = answers
  return [
    { path: '.env', contents: environmentFile({ baseUrl, port, credentials }), mode: 0o600 },
    { path: '.env.example', contents: environmentFile({ baseUrl, port, credentials: null }) },
    { path: '.gitignore', contents: IGNORED.map((line) => `${line}\n`).join('') },
    { path: 'package.json', contents: packageJson(folder) },
    { path: 'tsconfig.json', contents: TSCONFIG_JSON },
    { path: 'svc.config.ts', contents: svcConfig(answers) },
    { path: '.svc/runtime.ts', contents: RUNTIME },
    { path: 'src/capabilities/opening-hours.ts', contents: OPENING_HOURS },
    { path: 'src/server.ts', contents: serverSource(port) },
  ]
}

/** Writes what is not there yet and touches nothing else, not even a link that leads nowhere. */
export function writeFiles(folder: string, files: readonly ProjectFile[]): FileOutcome[] {
  return files.map(({ path, contents, mode = 0o644 }) => {
    const file = join(folder, path)
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, contents, { flag: 'wx', mode })
      return { path, status: 'created' }
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EEXIST' && isThere(file)) return { path, status: 'kept' }
      throw commandFailure(`${file} cannot be written (${code}).`, ['What was written before it is complete.'], error)
    }
  })
}

/** True where there is anything of this name, a link that leads nowhere included. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // A file stands where its folder would have to be.
    if (codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
