import { lstatSync, readFileSync, realpathSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { projectFailure } from '../failures.ts'
import { digest } from './digest.ts'
import { unwritable, writeProjectFile } from './write-project-file.ts'

const GENERATED_FOLDER = '.svc/generated'

/** A file of a generator: `path` is relative to the generator’s own folder. */
export type FileName = { readonly projectFolder: string; readonly generator: string; readonly path: string }

/** The file as the project knows it, with forward slashes. */
export function projectPath({ generator, path }: Pick<FileName, 'generator' | 'path'>): string {
  return `${GENERATED_FOLDER}/${generator}/${path}`
}

/** The digest of what is on disk, or null where nothing is. Throws where writing would leave the generator’s folder. */
export function digestOnDisk(name: FileName): string | null {
  const file = lookUp(name)
  if (file === null) return null
  try {
    return digest(readFileSync(file))
  } catch (error) {
    throw unwritable(projectPath(name), error)
  }
}

export function writeGeneratedFile(name: FileName, contents: string): void {
  lookUp(name)
  writeProjectFile(name.projectFolder, projectPath(name), contents)
}

/** Deletes the file, and the folders that it leaves empty. */
export function removeGeneratedFile(name: FileName): void {
  const file = lookUp(name)
  if (file === null) return
  try {
    rmSync(file)
  } catch (error) {
    throw unwritable(projectPath(name), error)
  }
  const root = join(name.projectFolder, GENERATED_FOLDER)
  for (let folder = dirname(file); folder !== root; folder = dirname(folder)) {
    if (!isRemoved(folder)) return
  }
}

/** The whole path of the file, or null where there is none. */
function lookUp(name: FileName): string | null {
  const shown = projectPath(name)
  const segments = shown.split('/')
  let current = name.projectFolder
  for (const [index, segment] of segments.entries()) {
    current = join(current, segment)
    const found = stats(current)
    if (found === null) return null
    const isLast = index === segments.length - 1
    const isOfProject = index < GENERATED_FOLDER.split('/').length
    const isSafe = isOfProject ? isInside(name.projectFolder, current) : !found.isSymbolicLink()
    const isInTheWay = isLast ? !found.isFile() : !found.isDirectory() && !found.isSymbolicLink()
    if (!isSafe || isInTheWay) throw obstructed(shown, segments.slice(0, index + 1).join('/'), isSafe)
  }
  return current
}

function isInside(folder: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(folder) + sep)
  } catch {
    return false
  }
}

function stats(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

function obstructed(path: string, obstacle: string, isSafe: boolean): Error {
  const what = isSafe ? 'stands in its place' : 'is a symbolic link, and generated files stay inside .svc/generated'
  return projectFailure(`${path} cannot be written: ${obstacle} ${what}.`, [`Remove ${obstacle} and run svc again.`])
}
