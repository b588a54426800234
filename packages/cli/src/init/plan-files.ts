import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Answers } from './answers.ts'
import { environmentFile, type RuntimeCredentials } from './templates/environment-file.ts'
import { IGNORED } from './templates/gitignore.ts'
import { packageJson } from './templates/package-json.ts'
import { OPENING_HOURS, OPENING_HOURS_TEST, RUNTIME, serverSource } from './templates/source-files.ts'
import { svcConfig } from './templates/svc-config.ts'
import { TSCONFIG_JSON } from './templates/tsconfig-json.ts'

export type ProjectFile = { readonly path: string; readonly contents: string; readonly mode?: number }

type Input = {
  readonly folder: string
  readonly answers: Answers
  readonly baseUrl: string
  readonly credentials: RuntimeCredentials | null
}

const SAMPLE_TEST = { path: 'tests/opening-hours.svc-test.yaml', contents: OPENING_HOURS_TEST }

// A runtime of one’s own may lack the capability that the test calls.
function isForeign(folder: string): boolean {
  return existsSync(join(folder, '.svc/runtime.ts')) && !existsSync(join(folder, SAMPLE_TEST.path))
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
    ...(isForeign(folder) ? [] : [SAMPLE_TEST]),
  ]
}
