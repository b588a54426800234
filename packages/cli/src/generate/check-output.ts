import { fieldErrorsOf, type GeneratedFile, isJsonObject } from '@svc/contract'
import type { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import { comparablePath, filePathProblem } from './file-path-problem.ts'

const MAX_FILES = 1_000
const MAX_BYTES = 16 * 1024 * 1024

/** What `generate()` returned, one pair of place and fault for each fault; without any the files themselves. */
export type CheckedOutput =
  | { readonly ok: true; readonly files: readonly GeneratedFile[] }
  | { readonly ok: false; readonly faults: readonly (readonly [string, string])[] }

/** Checks the files of a generator. Those of a built-in one must satisfy its `document`, too. */
export function checkOutput(output: unknown, document: z.ZodType | null): CheckedOutput {
  if (!Array.isArray(output)) {
    return fault(
      'generate()',
      `must return a list of files, [{ path, contents }], and returned ${output === undefined ? 'nothing' : kindOf(output)}.`,
    )
  }
  if (output.length > MAX_FILES) return fault('generate()', `returned more than ${MAX_FILES} files.`)

  const files: GeneratedFile[] = []
  const faults: [string, string][] = []
  const paths = new Map<string, string>()
  for (const [index, file] of output.entries()) {
    const read = readFile(file)
    const problem =
      'problem' in read ? read.problem : (placeProblem(read.path, paths) ?? contentsProblem(read, document))
    if (problem !== null) faults.push([nameOf(file, index), problem])
    if ('problem' in read) continue
    paths.set(comparablePath(read.path), read.path)
    files.push(read)
  }
  const bytes = files.reduce((sum, { contents }) => sum + Buffer.byteLength(contents), 0)
  if (bytes > MAX_BYTES) faults.push(['generate()', `returned more than ${MAX_BYTES / 1024 / 1024} MiB in all.`])
  return faults.length === 0 ? { ok: true, files } : { ok: false, faults }
}

function readFile(file: unknown): GeneratedFile | { problem: string } {
  if (!isJsonObject(file)) return { problem: `must be a file, { path, contents }, and is ${kindOf(file)}.` }
  const { path, contents } = file
  if (typeof path !== 'string') return { problem: `path must be a text, such as "names.txt", and is ${kindOf(path)}.` }
  const problem = filePathProblem(path)
  if (problem) return { problem }
  if (typeof contents !== 'string') {
    const advice = typeof contents === 'object' && contents !== null ? ' JSON.stringify makes one of it.' : ''
    return { problem: `contents must be a text, and is ${kindOf(contents)}.${advice}` }
  }
  return { path, contents }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return value === null ? 'null' : 'missing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  const fields = Object.keys(value).slice(0, 5).join(', ')
  return fields === '' ? 'an object without fields' : `an object with the fields ${fields}`
}

function placeProblem(path: string, taken: ReadonlyMap<string, string>): string | null {
  const own = comparablePath(path)
  for (const [other, shown] of taken) {
    if (own === other) return `is the place of “${shown}” already: paths must differ by more than upper and lower case.`
    if (own.startsWith(`${other}/`)) return `would lie inside the file “${shown}”.`
    if (other.startsWith(`${own}/`)) return `would stand where the folder of “${shown}” is.`
  }
  return null
}

function contentsProblem({ contents }: GeneratedFile, document: z.ZodType | null): string | null {
  if (document === null) return null
  const parsed = document.safeParse(parseJson(contents))
  if (parsed.success) return null
  const [[field, [message]] = ['', ['']]] = Object.entries(fieldErrorsOf(parsed.error, 'the document'))
  return `is not what it has to be: ${field} ${message}`
}

function nameOf(file: unknown, index: number): string {
  const path =
    isJsonObject(file) && typeof file['path'] === 'string' ? ` ${JSON.stringify(file['path'].slice(0, 80))}` : ''
  return `file ${index + 1}${path}`
}

function fault(place: string, message: string): CheckedOutput {
  return { ok: false, faults: [[place, message]] }
}
