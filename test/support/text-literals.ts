import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './source-tree.ts'

/** Every text that the sources of these packages can say, once each; what a template puts in stands as “…”. */
export function textLiterals(packages: readonly string[]): string[] {
  const files = packages.flatMap((name) => {
    const folder = join(ROOT, 'packages', name, 'src')
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
  })
  return [...new Set(files.flatMap(literalsOf))]
}

function literalsOf(file: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const text = textOf(node)
    if (text === null) ts.forEachChild(node, visit)
    else found.push(text)
    if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) visit(span.expression)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest))
  return found
}

/** A literal’s text, or that of several that are added up; null for everything else. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === null && right === null ? null : (left ?? '…') + (right ?? '…')
}
