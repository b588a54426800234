import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandFailure } from '../failures.ts'
import { errorCode, reasonOf } from '../thrown.ts'
import type { ProjectFile } from './plan-files.ts'

export type FileOutcome = { readonly path: string; readonly status: 'created' | 'kept' }

/** Writes what is not there yet and touches nothing else, not even a link that leads nowhere. */
export function writeFiles(folder: string, files: readonly ProjectFile[]): FileOutcome[] {
  return files.map(({ path, contents, mode = 0o644 }) => {
    const file = join(folder, path)
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, contents, { flag: 'wx', mode })
      return { path, status: 'created' }
    } catch (error) {
      if (errorCode(error) === 'EEXIST' && isThere(file)) return { path, status: 'kept' }
      const message = `${file} cannot be written (${reasonOf(error)}).`
      throw commandFailure(message, ['What was written before it is complete.'], error)
    }
  })
}

/** True where there is anything of this name, a link that leads nowhere included. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // A file stands where its folder would have to be.
    if (errorCode(error) === 'ENOTDIR') return false
    throw error
  }
}
