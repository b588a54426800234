import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isJsonObject } from '@svc/contract'
import { projectFailure } from '../failures.ts'

/** Replaces a file of the project as a whole: a reader, or a second svc, sees the old contents or the new ones. */
export function writeAtomically(projectFolder: string, path: string, contents: string): void {
  const file = join(projectFolder, path)
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(draft, contents, { flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw unwritable(path, error)
  }
}

export function unwritable(path: string, error: unknown): Error {
  const code = isJsonObject(error) ? error['code'] : undefined
  return projectFailure(
    `${path} cannot be written (${String(code)}).`,
    ['Make the folder writable, or remove what is in the way.'],
    error,
  )
}
