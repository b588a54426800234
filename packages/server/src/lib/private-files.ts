import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const OWNER = 0o700
const STICKY = 0o1000

/** Creates a folder for its owner only, or takes an existing one away from group and others. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER })
  // A sticky folder, such as /tmp, is shared on purpose.
  if ((statSync(folder).mode & STICKY) === 0) makePrivate(folder)
}

/** Takes the existing files of these names away from group and others. New ones are private by the process's umask. */
export function makeFilesPrivate(folder: string, names: RegExp): void {
  for (const name of readdirSync(folder)) if (names.test(name)) makePrivate(join(folder, name))
}

function makePrivate(path: string): void {
  const { mode } = statSync(path)
  if ((mode & 0o077) === 0) return
  try {
    chmodSync(path, mode & OWNER)
  } catch (error) {
    // It belongs to another user, or the volume is read-only.
    if (!(error instanceof Error && 'code' in error && ['EPERM', 'EROFS'].includes(String(error.code)))) throw error
  }
}
