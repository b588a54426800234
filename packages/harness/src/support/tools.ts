import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs that come with no npm package, by the Debian package that brings each. */
const PACKAGES = {
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
} as const

export type Tool = keyof typeof PACKAGES

/** Which of these are missing. */
export function missingTools(tools: readonly Tool[], env: NodeJS.ProcessEnv): Tool[] {
  // Where Debian keeps what only administrators used to start.
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return tools.filter((tool) => !folders.some((folder) => isExecutable(join(folder, tool))))
}

/** Throws a sentence that says what to install. */
export function requireTools(tools: readonly Tool[], env: NodeJS.ProcessEnv): void {
  const missing = missingTools(tools, env)
  if (missing.length === 0) return
  const packages = missing.map((tool) => PACKAGES[tool]).join(' ')
  throw new Error(`this scenario needs ${missing.join(' and ')}: apt-get install ${packages}`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
