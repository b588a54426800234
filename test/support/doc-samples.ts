import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './source-tree.ts'

/** One code block of a page, or a file that a comment of the page holds for its blocks. */
export interface Sample {
  /** From the root: `docs/serving.md`. */
  readonly page: string
  /** Of the block’s first line of code, counted from 1. */
  readonly line: number
  /** What stands after the fence: `ts`, `json`, `sh`, `python`… */
  readonly language: string
  /** The line of text above the block, `` `server.ts`, Express 5: ``; empty where there is none. */
  readonly title: string
  /** The file that the title, or a comment, names; null for a block without one. */
  readonly path: string | null
  readonly code: string
  /** Why the block is not checked; null where it is. */
  readonly skipped: string | null
}

/** Every page for readers, from the root. Their samples are held to be right. */
export const PAGES: readonly string[] = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
  ...['packages', 'examples'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name) => `${kind}/${name}/README.md`),
  ),
].filter((page) => page.endsWith('.md') && existsSync(join(ROOT, page)))

/** All code blocks of a page in their order, and the files that it hides in comments. */
export function samplesOf(page: string): Sample[] {
  return parseSamples(page, readFileSync(join(ROOT, page), 'utf8'))
}

/** The one block whose line of text above it contains `title`. Throws, and names the titles there are, otherwise. */
export function sampleOf(page: string, title: string, language = 'ts'): Sample {
  const samples = samplesOf(page).filter((sample) => sample.language === language)
  const [found, ...others] = samples.filter((sample) => sample.title.includes(title))
  if (found && others.length === 0) return found
  const titles = samples.map((sample) => `“${sample.title}”`).join(', ')
  throw new Error(`${page}: ${others.length + (found ? 1 : 0)} ${language} blocks under “${title}”, among ${titles}`)
}

/** The commands of a page as a reader types them, in their order; one that a backslash carries over is one line. */
export function commandsOf(page: string): string[] {
  const scripts = samplesOf(page).filter(({ language }) => language === 'sh')
  return scripts.flatMap(({ code }) =>
    code
      .replaceAll(/ \\\n\s*/g, ' ')
      .trim()
      .split('\n'),
  )
}

/** Writes samples at their paths into a folder in which `@svc/*` and all installed packages resolve. */
export function writeSamples(samples: readonly Sample[], folder: string): void {
  for (const { path, code } of samples) {
    if (path === null) throw new Error('a sample without a path cannot be written')
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  if (!existsSync(join(folder, 'node_modules'))) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

const FENCE = /^( *)```(\w*)\s*$/
const COMMENT_START = /^ *<!-- sample: (\w+)[, ]*(.*)$/

/** The samples in a page’s text; `<!-- sample: … -->` comments say what readers need not see. */
export function parseSamples(page: string, text: string): Sample[] {
  const samples: Sample[] = []
  const lines = text.split('\n')
  let note: Note | null = null
  let title = ''
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const [, indent = '', language = ''] = FENCE.exec(line) ?? []
    if (COMMENT_START.test(line)) {
      note = readNote(lines, at)
      if (note.kind === 'file') samples.push(hiddenFile(page, note))
      at = note.end
    } else if (FENCE.test(line)) {
      const end = lines.findIndex((each, index) => index > at && each.trimEnd() === `${indent}\`\`\``)
      if (end < 0) throw new Error(`${page}:${at + 1}: this code block has no end`)
      const code = lines.slice(at + 1, end).map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each))
      addBlock(samples, { page, line: at + 2, language, title, code: `${code.join('\n')}\n` }, note)
      note = null
      title = ''
      at = end
    } else if (line.trim() !== '') {
      title = line.trim()
    }
  }
  return samples
}

interface Note {
  readonly kind: string
  /** What follows on the comment’s first line. */
  readonly words: string
  readonly body: string
  readonly line: number
  readonly end: number
}

const NOTE_KINDS = ['skip', 'file', 'with', 'continues', 'path']

function readNote(lines: readonly string[], at: number): Note {
  const [, kind = '', rest = ''] = COMMENT_START.exec(lines[at] ?? '') ?? []
  if (!NOTE_KINDS.includes(kind))
    throw new Error(`line ${at + 1}: “sample: ${kind}” is none of ${NOTE_KINDS.join(', ')}`)
  const end = lines.findIndex((each, index) => index >= at && each.includes('-->'))
  const words = rest.replace(/\s*-->.*$/, '').trim()
  const body = lines.slice(at + 1, end).join('\n')
  if (kind === 'skip' && words === '') throw new Error(`line ${at + 1}: “sample: skip” needs a reason`)
  return { kind, words, body: body === '' ? '' : `${body}\n`, line: at + 2, end }
}

function hiddenFile(page: string, note: Note): Sample {
  const language = note.words.split('.').at(-1) ?? ''
  return { page, line: note.line, language, title: '', path: note.words, code: note.body, skipped: null }
}

function addBlock(samples: Sample[], block: Omit<Sample, 'path' | 'skipped'>, note: Note | null): void {
  const before = samples.at(-1)
  if (note?.kind === 'continues') {
    if (!before) throw new Error(`${block.page}:${block.line}: there is no block to continue`)
    samples[samples.length - 1] = { ...before, code: before.code + block.code }
    return
  }
  const path = note?.kind === 'path' ? note.words : pathIn(block.title, block.language)
  const hidden = note?.kind === 'with' ? note.body : ''
  const line = block.line - (hidden.split('\n').length - 1)
  const skipped = note?.kind === 'skip' ? note.words : null
  samples.push({ ...block, line, path, code: hidden + block.code, skipped })
}

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  ts: ['ts', 'mts', 'tsx'],
  js: ['js', 'mjs'],
  python: ['py'],
  sh: ['sh', 'env'],
}

/** The last path in code quotes of a line that introduces a block, where its ending is the block’s language. */
function pathIn(title: string, language: string): string | null {
  if (!title.endsWith(':')) return null
  const paths = [...title.matchAll(/`([\w./[\]-]+\.\w+)`/g)].map(([, path = '']) => path)
  const endings = EXTENSIONS[language] ?? [language]
  return paths.filter((path) => endings.includes(path.split('.').at(-1) ?? '')).at(-1) ?? null
}
