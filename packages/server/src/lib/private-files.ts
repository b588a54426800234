import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const OTHERS = 0o077
const OWNER = 0o700
const STICKY = 0o1000

/** Makes a folder that its owner alone can enter. One that exists is closed to others, too. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER })
  // A folder such as /tmp is shared on purpose; the files in it are private all the same.
  if ((statSync(folder).mode & STICKY) === 0) closeToOthers(folder)
}

/** Closes those files of a folder to others whose names match. New ones are private by the umask of the process. */
export function makeFilesPrivate(folder: string, names: RegExp): void {
  for (const name of readdirSync(folder)) if (names.test(name)) closeToOthers(join(folder, name))
}

function closeToOthers(path: string): void {
  const { mode } = statSync(path)
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, mode & OWNER)
  } catch (error) {
    // Of another user, or on a volume that is mounted read-only: its mode is not ours to set.
    if (!isNotAllowed(error)) throw error
  }
}

function isNotAllowed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EROFS')
}
