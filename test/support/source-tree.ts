import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')

export interface Import {
  /** As it is written. */
  specifier: string
  /** The file it leads to, from the root; null for packages. */
  target: string | null
  isTypeOnly: boolean
}

export interface SourceFile {
  /** From the root, with forward slashes. */
  path: string
  text: string
  lines: number
  imports: Import[]
  /** Whether its code uses the process’s environment, streams, signals or end; what stands in texts does not count. */
  touchesProcess: boolean
}

/** Every source file of the packages, the examples and the lab, without tests. */
export function readSources(): SourceFile[] {
  const folders = ['packages', 'examples'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name) => join(kind, name, 'src')),
  )
  return [...folders, 'lab/src'].flatMap((folder) => filesBelow(join(ROOT, folder))).map(readSource)
}

/** Every test file of the packages, the examples, the lab and the tree. */
export function readTests(): Pick<SourceFile, 'path' | 'text'>[] {
  const folders = ['packages', 'examples'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name) => join(kind, name, 'test')),
  )
  return [...folders, 'lab/test', 'test']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => filesBelow(join(ROOT, folder)))
    .map((file) => ({ path: fromRoot(file), text: readFileSync(file, 'utf8') }))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

function readSource(file: string): SourceFile {
  const text = readFileSync(file, 'utf8')
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const imports: Import[] = []
  let touchesProcess = false
  const visit = (node: ts.Node): void => {
    if (isProcess(node)) touchesProcess = true
    const found = importOf(node)
    if (found) imports.push({ ...found, target: targetOf(file, found.specifier) })
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return { path: fromRoot(file), text, lines: text.split('\n').length - 1, imports, touchesProcess }
}

const SURROUNDINGS = [
  'argv',
  'cwd',
  'env',
  'exit',
  'exitCode',
  'kill',
  'off',
  'on',
  'once',
  'send',
  'stderr',
  'stdin',
  'stdout',
]

function isProcess(node: ts.Node): boolean {
  if (!ts.isIdentifier(node) || node.text !== 'process') return false
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent))
    return parent.expression === node && SURROUNDINGS.includes(parent.name.text)
  // `const { env } = process`
  return ts.isVariableDeclaration(parent) && parent.initializer === node
}

function importOf(node: ts.Node): { specifier: string; isTypeOnly: boolean } | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, isTypeOnly: isTypeOnlyClause(node.importClause) }
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, isTypeOnly: node.isTypeOnly }
  }
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  const [argument] = isDynamic ? node.arguments : []
  return argument && ts.isStringLiteral(argument) ? { specifier: argument.text, isTypeOnly: false } : null
}

function isTypeOnlyClause(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.isTypeOnly) return true
  const { namedBindings } = clause
  if (clause.name || !namedBindings || !ts.isNamedImports(namedBindings)) return false
  return namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly)
}

function targetOf(file: string, specifier: string): string | null {
  return specifier.startsWith('.') ? fromRoot(resolve(dirname(file), specifier)) : null
}

function fromRoot(file: string): string {
  return relative(ROOT, file).replaceAll('\\', '/')
}
