import { accessSync, chmodSync, constants, lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandFailure } from '../failures.ts'
import { errorCode, reasonOf } from '../thrown.ts'

/** The folder of a new project and the `.env` in it, as far as they were made. */
export type Place = {
  /** Fills the `.env` that was made. Throws where that cannot be, or where something else has written into it. */
  readonly fill: (contents: string) => void
  /** Takes away what was made. */
  readonly leave: () => void
}

/**
 * Makes the folder and, `withEnvironment`, an empty `.env` that only the owner can read: before a runtime is registered,
 * because its credentials are shown once.
 */
export function takePlace(folder: string, { withEnvironment }: { withEnvironment: boolean }): Place {
  const file = join(folder, '.env')
  let outermost: string | undefined
  let isOurs = false
  const leave = () => {
    if (isOurs) rmSync(file, { force: true })
    if (outermost !== undefined) removeFolders(folder, outermost)
  }
  try {
    outermost = mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
    if (withEnvironment) {
      isOurs = lstatSync(file, { throwIfNoEntry: false }) === undefined
      writeFileSync(file, '', { flag: 'a', mode: 0o600 })
      chmodSync(file, 0o600)
    }
  } catch (error) {
    leave()
    const message = `No project can be made in ${folder} (${reasonOf(error)}).`
    throw commandFailure(message, ['Name a folder that you may write to.'], error)
  }
  return {
    fill(contents) {
      if (hasContents(file)) throw new Error('something else wrote it meanwhile')
      writeFileSync(file, contents)
    },
    leave,
  }
}

/** True where there is anything of this name but an empty file, which holds nothing that could be lost. */
export function hasContents(file: string): boolean {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false })
    return found !== undefined && !(found.isFile() && found.size === 0)
  } catch (error) {
    // A file stands where its folder would have to be.
    if (errorCode(error) === 'ENOTDIR') return false
    throw error
  }
}

// Those that are empty, from the inside to the outermost that was made.
function removeFolders(folder: string, outermost: string): void {
  try {
    for (let current = folder; ; current = dirname(current)) {
      rmdirSync(current)
      if (current === outermost) return
    }
  } catch {
    // Something else is in it by now.
  }
}
