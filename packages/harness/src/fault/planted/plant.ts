import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../support/arguments.ts'

/** One exact change of a compiled file. */
export interface Edit {
  /** From the folder of the built server. */
  file: string
  /** Must stand in the file exactly once. */
  find: string
  replace: string
}

/** A known bug, and the scenario that has to find it. */
export interface Plant {
  name: string
  /** The promise that it breaks. */
  breaks: string
  edits: readonly [Edit, ...Edit[]]
  foundBy: {
    scenario: string
    engine: Engine
    /** Of a full run: enough to find it every time, within about a minute. */
    scale: number
    /** How the check that has to fail begins; any check of the scenario where this is null. */
    check: string | null
  }
}

/** The text with one bug more. Throws where the edit's place is not there, or there more than once. */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const places = text.split(find).length - 1
  if (places !== 1) throw new Error(`“${find}” stands ${places} times in ${file}, where one is needed to plant a bug`)
  return text.replace(find, () => replace)
}

/** A copy of the built server beside the original, so that its imports resolve, with the bug in it. */
export function plantIn(serverFolder: string, { name, edits }: Plant): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(serverFolder, '..', `.planted-${name}-`))
  cpSync(serverFolder, folder, { recursive: true })
  for (const edit of edits) {
    const path = join(folder, edit.file)
    writeFileSync(path, applyEdit(readFileSync(path, 'utf8'), edit))
  }
  return { folder: `${folder}/`, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
