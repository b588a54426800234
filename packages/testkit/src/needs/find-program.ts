import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program, or null. Looks where `PATH` says, and where Debian keeps programs for administrators. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
