import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@svc/contract'
import { parse as parseEnvironment } from 'dotenv'
import { parseJsonObject } from '../parse-json.ts'
import { IGNORED } from './templates/gitignore.ts'
import { DEPENDENCIES, DEV_DEPENDENCIES, SCRIPTS } from './templates/package-json.ts'
import type { FileOutcome } from './write-files.ts'

/** A file that was kept, and what would have to be done to it. */
export type MissingPart = { readonly file: string; readonly advice: readonly string[] }

// What could do harm comes first.
const ADVISERS: readonly (readonly [file: string, advise: (text: string) => string[]])[] = [
  ['.gitignore', ignoreAdvice],
  ['.env', environmentAdvice],
  ['package.json', packageAdvice],
  ['tsconfig.json', compilerAdvice],
  ['src/server.ts', serverAdvice],
]

/** What kept files lack for the project to work. They are only read. */
export function missingParts(folder: string, files: readonly FileOutcome[]): MissingPart[] {
  return ADVISERS.filter(([file]) => files.some(({ path, status }) => path === file && status === 'kept'))
    .map(([file, advise]) => ({ file, advice: advise(read(folder, file)) }))
    .filter(({ advice }) => advice.length > 0)
}

function ignoreAdvice(text: string): string[] {
  const present = new Set(text.split('\n').map((line) => bare(line)))
  const reason = (line: string) => (line === '.env' ? ': without it your credentials would be committed' : '')
  return IGNORED.filter((line) => !present.has(bare(line))).map((line) => `add the line ${line}${reason(line)}`)
}

// `/dist`, `dist` and `dist/` leave the same folder out.
function bare(line: string): string {
  return line.trim().replace(/^\/|\/$/g, '')
}

const CREDENTIALS = [
  ['SVC_API_KEY', 'the runtime’s deploy key'],
  ['SVC_RUNTIME_ID', 'its id'],
  ['SVC_RUNTIME_SECRET', 'its signing secret'],
] as const

function environmentAdvice(text: string): string[] {
  const present = parseEnvironment(text)
  return CREDENTIALS.filter(([name]) => !present[name]).map(([name, meaning]) => `set ${name} to ${meaning}`)
}

function packageAdvice(text: string): string[] {
  const manifest = parseJsonObject(text)
  const { dependencies, devDependencies, scripts } = manifest
  const installed = { ...objectOf(dependencies), ...objectOf(devDependencies) }
  const lacking = (wanted: Readonly<Record<string, string>>) =>
    Object.entries(wanted).flatMap(([name, range]) => (name in installed ? [] : [`'${name}@${range}'`]))
  const plain = lacking(DEPENDENCIES)
  const forWork = lacking(DEV_DEPENDENCIES)
  const isModule = manifest['type'] === 'module'
  const settings = [
    ...(isModule ? [] : ['type=module']),
    ...Object.entries(SCRIPTS).flatMap(([name, script]) =>
      name in objectOf(scripts) ? [] : [`'scripts.${name}=${script}'`],
    ),
  ]
  return [
    ...(plain.length > 0 ? [`npm install ${plain.join(' ')}`] : []),
    ...(forWork.length > 0 ? [`npm install --save-dev ${forWork.join(' ')}`] : []),
    ...(settings.length > 0 ? [`npm pkg set ${settings.join(' ')}`] : []),
    ...(isModule ? [] : ['(with type=module, files that use require() have to be named .cjs)']),
  ]
}

// It may hold comments, so it is looked through and not parsed; what it extends is not looked at.
function compilerAdvice(text: string): string[] {
  const takesTypeScriptNames = /"(rewriteRelativeImportExtensions|allowImportingTsExtensions)"\s*:\s*true/.test(text)
  const hasModules = /"module"\s*:\s*"(node(next|16|18|20)|preserve|es(next|\d+))"/i.test(text)
  return [
    ...(hasModules ? [] : ['set "module": "nodenext"']),
    ...(takesTypeScriptNames ? [] : ['set "rewriteRelativeImportExtensions": true: imports end in .ts']),
    ...(/"types"\s*:\s*\[[^\]]*"node"/.test(text) ? [] : ['set "types": ["node"]']),
  ]
}

function serverAdvice(text: string): string[] {
  if (text.includes('createHandler')) return []
  return ['answer /svc with createHandler({ runtime, … }) of @svc/sdk, as its README shows']
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return ''
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
