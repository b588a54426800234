import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@svc/contract'
import type { FileOutcome } from './plan-files.ts'
import { IGNORED } from './templates/gitignore.ts'
import { DEPENDENCIES, DEV_DEPENDENCIES, SCRIPTS } from './templates/package-json.ts'

/** A file that was kept, and what would have to be done to it. */
export type MissingPart = { readonly file: string; readonly advice: readonly string[] }

/** What kept files lack for the project to work. They are only read. */
export function missingParts(folder: string, files: readonly FileOutcome[]): MissingPart[] {
  const isKept = (file: string) => files.some(({ path, status }) => path === file && status === 'kept')
  const parts = [
    ...(isKept('package.json') ? [{ file: 'package.json', advice: packageAdvice(read(folder, 'package.json')) }] : []),
    ...(isKept('.gitignore') ? [{ file: '.gitignore', advice: ignoreAdvice(read(folder, '.gitignore')) }] : []),
  ]
  return parts.filter(({ advice }) => advice.length > 0)
}

function packageAdvice(text: string): string[] {
  const manifest = parse(text)
  const { dependencies, devDependencies, scripts } = manifest
  const installed = { ...objectOf(dependencies), ...objectOf(devDependencies) }
  const lacking = (wanted: Readonly<Record<string, string>>) =>
    Object.entries(wanted).flatMap(([name, range]) => (name in installed ? [] : [`'${name}@${range}'`]))
  const plain = lacking(DEPENDENCIES)
  const forWork = lacking(DEV_DEPENDENCIES)
  const settings = [
    ...(manifest['type'] === 'module' ? [] : ['type=module']),
    ...Object.entries(SCRIPTS).flatMap(([name, script]) =>
      name in objectOf(scripts) ? [] : [`'scripts.${name}=${script}'`],
    ),
  ]
  return [
    ...(plain.length > 0 ? [`npm install ${plain.join(' ')}`] : []),
    ...(forWork.length > 0 ? [`npm install --save-dev ${forWork.join(' ')}`] : []),
    ...(settings.length > 0 ? [`npm pkg set ${settings.join(' ')}`] : []),
  ]
}

function ignoreAdvice(text: string): string[] {
  const present = new Set(text.split('\n').map((line) => bare(line)))
  return IGNORED.filter((line) => !present.has(bare(line))).map((line) => `add the line ${line}`)
}

// `/dist`, `dist` and `dist/` leave the same folder out.
function bare(line: string): string {
  return line.trim().replace(/^\/|\/$/g, '')
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return ''
  }
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
