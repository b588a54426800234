import { join } from 'node:path'
import ts from 'typescript'
import type { Sample } from './doc-samples.ts'
import { ROOT } from './source-tree.ts'

/** Type-checks the ts samples of many pages in one strict program; each fault as `page:line: what is wrong`. */
export function typeFaults(samples: readonly Sample[]): string[] {
  const files = new Map<string, Placed>()
  for (const page of new Set(samples.map((sample) => sample.page))) {
    for (const [path, placed] of layOut(samples.filter((sample) => sample.page === page))) files.set(path, placed)
  }
  const program = createProgram(files)
  return [...files].flatMap(([path, placed]) => {
    if (!placed.isJudged) return []
    const source = program.getSourceFile(path)
    if (!source) throw new Error(`TypeScript did not read ${path}`)
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return diagnostics.map((each) => describe(placed, source, each))
  })
}

interface Placed {
  readonly sample: Sample
  /** False where the sample is there for others to import. */
  readonly isJudged: boolean
}

/** Files as they stand at one point of a page, and the samples that are shown there. */
interface Edition {
  readonly files: Map<string, Sample>
  readonly shown: Set<Sample>
}

/**
 * Gives each sample a path. A page is one folder; where it shows a path again, a further folder begins with the files
 * as they stand then. A file shown later than the one that imports it is in the earlier folders too.
 */
function layOut(samples: readonly Sample[]): Map<string, Placed> {
  const placed = new Map<string, Placed>()
  editionsOf(samples).forEach(({ files, shown }, index) => {
    for (const [path, sample] of files) {
      const folder = join(ROOT, '.samples', sample.page.replaceAll('/', '-'), String(index + 1))
      placed.set(join(folder, path), { sample, isJudged: shown.has(sample) })
    }
  })
  return placed
}

function editionsOf(samples: readonly Sample[]): Edition[] {
  let current: Edition = { files: new Map(), shown: new Set() }
  const editions = [current]
  samples.forEach((sample, index) => {
    const { path } = sample
    if (path === null) {
      current.files.set(`block-${index + 1}.ts`, sample)
    } else if (current.files.has(path)) {
      const named = [...current.files].filter(([, { path: known }]) => known !== null)
      current = { files: new Map(named).set(path, sample), shown: new Set() }
      editions.push(current)
    } else {
      for (const { files } of editions) files.set(path, sample)
    }
    current.shown.add(sample)
  })
  return editions
}

// Declarations of the language and of packages, which every program reads.
const declarations = new Map<string, ts.SourceFile | undefined>()

/** The files are in memory only; they lie below the root, so that packages resolve as they do there. */
function createProgram(files: ReadonlyMap<string, Placed>): ts.Program {
  const options = { ...readOptions(), noEmit: true, composite: false, types: ['node'], skipLibCheck: true }
  const host = ts.createCompilerHost(options)
  const folders = new Set([...files.keys()].flatMap(foldersAbove))
  const onDisk = { fileExists: host.fileExists, readFile: host.readFile, directoryExists: host.directoryExists }
  host.fileExists = (path) => files.has(path) || onDisk.fileExists(path)
  host.readFile = (path) => files.get(path)?.sample.code ?? onDisk.readFile(path)
  const parse = host.getSourceFile.bind(host)
  host.getSourceFile = (path, ...rest) => {
    if (files.has(path)) return parse(path, ...rest)
    if (!declarations.has(path)) declarations.set(path, parse(path, ...rest))
    return declarations.get(path)
  }
  host.directoryExists = (path) => folders.has(path) || (onDisk.directoryExists?.(path) ?? false)
  return ts.createProgram([...files.keys()], options, host)
}

function foldersAbove(path: string): string[] {
  const steps = path.split('/')
  return steps.map((_, index) => steps.slice(0, index).join('/')).filter((folder) => folder.startsWith(ROOT))
}

// As strict as the project; but a sample may show a thing without using it.
function readOptions(): ts.CompilerOptions {
  const file = join(ROOT, 'tsconfig.base.json')
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile)
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
  const parsed = ts.parseJsonConfigFileContent({ ...config, files: [file] }, ts.sys, ROOT)
  const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
  return { ...parsed.options, lib, noUnusedLocals: false, noUnusedParameters: false }
}

function describe({ sample }: Placed, source: ts.SourceFile, diagnostic: ts.Diagnostic): string {
  const { line } = ts.getLineAndCharacterOfPosition(source, diagnostic.start ?? 0)
  const words = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')
  const code = sample.code.split('\n')[line]?.trim() ?? ''
  return `${sample.page}:${sample.line + line}: ${words} At: ${code}`
}
