import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Replaces a file as a whole: a reader, or a second svc, sees the old contents or the new ones. Throws what the system
 * says; its folder has to be there.
 */
export function writeAtomically(file: string, contents: string, mode = 0o666): void {
  const draft = join(dirname(file), `.${randomUUID()}.tmp`)
  try {
    writeFileSync(draft, contents, { flag: 'wx', mode })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
