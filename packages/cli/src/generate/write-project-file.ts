import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFailure } from '../failures.ts'
import { reasonOf } from '../thrown.ts'
import { writeAtomically } from '../write-atomically.ts'

/** Replaces a file of the project as a whole, and makes the folders above it. */
export function writeProjectFile(projectFolder: string, path: string, contents: string): void {
  const file = join(projectFolder, path)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeAtomically(file, contents)
  } catch (error) {
    throw unwritable(path, error)
  }
}

export function unwritable(path: string, error: unknown): Error {
  return projectFailure(
    `${path} cannot be written (${reasonOf(error)}).`,
    ['Make the folder writable, or remove what is in the way.'],
    error,
  )
}
