import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes a file in one step: whoever reads it meanwhile sees what was there before, or all of the new. */
export function writeFileAtomically(file: string, text: string): void {
  const draft = join(dirname(file), `.${randomUUID()}.tmp`)
  try {
    writeFileSync(draft, text, { flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
