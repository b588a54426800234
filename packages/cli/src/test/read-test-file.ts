import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type FieldErrors, fieldErrorsOf } from '@svc/contract'
import { type Document, isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { nearestName } from '../nearest-name.ts'
import { loadModule } from '../project/load-module.ts'
import type { Project } from '../project/load-project.ts'
import { messageOf } from '../thrown.ts'
import { type TestContent, TestSchema } from './test-schema.ts'

/** A test, and where its parts stand in its file. */
export type ConversationFile = TestContent & {
  readonly name: string
  /** As it is shown. */
  readonly file: string
  /** The line of a dotted field; null where the file is TypeScript. */
  readonly lineOf: (field: string) => number | null
}

export type FileFault = {
  readonly file: string
  readonly line: number | null
  readonly field: string
  readonly message: string
}

type Read = { readonly tests: ConversationFile[]; readonly faults: FileFault[] }
type Place = { readonly path: string; readonly project: Pick<Project, 'folder'>; readonly cwd: string }

/** The tests of a file, or what is wrong with them. A TypeScript file may export a list. */
export async function readTestFile({ path, project, cwd }: Place): Promise<Read> {
  const file = relative(cwd, path)
  if (!path.endsWith('.ts')) return readYaml(file, readFileSync(path, 'utf8'))
  const { default: exported } = await loadModule(path, { folder: project.folder, cwd })
  const listed = Array.isArray(exported) ? exported : [exported]
  const read = listed.map((value) => checked(value, { file, lineOf: () => null }))
  return { tests: read.flatMap(({ tests }) => tests), faults: read.flatMap(({ faults }) => faults) }
}

function readYaml(file: string, text: string): Read {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const fault = (line: number | null, message: string) => ({
    file,
    line,
    field: 'YAML',
    message: `is not valid: ${message}`,
  })
  const broken = document.errors.map(({ message, pos: [at] }) => fault(lines.linePos(at).line, message))
  if (broken.length > 0) return { tests: [], faults: broken }
  const value = contentOf(document)
  if (value instanceof Error) return { tests: [], faults: [fault(null, value.message)] }
  return checked(value, { file, lineOf: lineFinder(document, lines) })
}

// An alias may have no anchor, stand for too many values, or for one that it is a part of.
function contentOf(document: Document): unknown {
  try {
    const value: unknown = document.toJS()
    JSON.stringify(value)
    return value
  } catch (error) {
    return new Error(messageOf(error).replace(/\n.*/s, ''))
  }
}

function checked(value: unknown, { file, lineOf }: Pick<ConversationFile, 'file' | 'lineOf'>): Read {
  const parsed = TestSchema.safeParse(value)
  if (!parsed.success) return { tests: [], faults: faultsOf(fieldErrorsOf(parsed.error, 'test'), { file, lineOf }) }
  const name = parsed.data.name ?? file.replace(/^.*[\\/]|\.svc-test\.\w+$/g, '')
  return { tests: [{ ...parsed.data, name, file, lineOf }], faults: [] }
}

/** Faults by field as faults of a file. */
export function faultsOf(faults: FieldErrors, at: Pick<ConversationFile, 'file' | 'lineOf'>): FileFault[] {
  const fields = Object.keys(faults)
  // An unknown field says why its parent lacks one.
  const isExplained = (field: string) => fields.some((other) => other.startsWith(`${field}.`))
  const listed = Object.entries(faults).flatMap(([field, messages]) => {
    if (isExplained(field)) return []
    return messages.map((message) => ({
      file: at.file,
      line: at.lineOf(field),
      field,
      message: withHint(field, message),
    }))
  })
  return listed.sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
}

const FIELDS = [
  ...[
    'name',
    'model',
    'mocks',
    'turns',
    'user',
    'expect',
    'approve',
    'say',
    'call',
    'calls',
    'input',
    'output',
    'error',
  ],
  ...['capability', 'times', 'inOrder', 'answer', 'finishReason', 'contains', 'matches', 'equals'],
]

function withHint(field: string, message: string): string {
  const nearest = message.startsWith('is not a known field') ? nearestName(field.replace(/^.*\./, ''), FIELDS) : null
  if (nearest !== null) return `is not a known field. Did you mean ${nearest}?`
  if (!field.endsWith('.expect') || !message.startsWith('is required')) return message
  return 'is missing: a turn without an expectation tests nothing. Add calls, or answer: { contains: … }.'
}

// Of the deepest part of the field that is in the file: what is missing is told where it would stand.
function lineFinder(document: Document, lines: LineCounter): (field: string) => number {
  return (field) => {
    let node: unknown = document.contents
    let start = rangeOf(node)
    for (const name of field.split('.')) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => String(key) === name)
        if (!pair) continue
        start = rangeOf(pair.key) ?? start
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(name)]
        start = rangeOf(node) ?? start
      }
    }
    return lines.linePos(start ?? 0).line
  }
}

function rangeOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0]
}
