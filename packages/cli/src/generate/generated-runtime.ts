import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RuntimeDescription } from './built-in/runtime-manifest-generator.ts'
import { projectPath } from './generated-file.ts'
import type { KnownRuntime } from './known-runtime.ts'

const FILE = projectPath({ generator: 'runtime-manifest', path: 'runtime.json' })

/** The runtime that the project’s own `runtime.json` names, as it was committed; null where there is none or it names none. */
export function readGeneratedRuntime(projectFolder: string): KnownRuntime | null {
  try {
    const described = RuntimeDescription.parse(JSON.parse(readFileSync(join(projectFolder, FILE), 'utf8')))
    const { runtimeId, name, baseUrl: publicUrl } = described
    return runtimeId === null ? null : { runtimeId, name, publicUrl }
  } catch {
    return null
  }
}
