import ts from 'typescript'

/**
 * The titles of a file’s tests as they are written, the placeholders of `test.each` included: each alone, and as
 * `group › title` where it stands in a group.
 */
export function titlesIn(text: string): Set<string> {
  const titles = new Set<string>()
  const visit = (node: ts.Node, group: string | undefined): void => {
    const found = ts.isCallExpression(node) ? describedBy(node) : null
    if (found && !found.isGroup) {
      titles.add(found.title)
      if (group !== undefined) titles.add(`${group} › ${found.title}`)
    }
    ts.forEachChild(node, (child) => visit(child, found?.isGroup ? found.title : group))
  }
  visit(ts.createSourceFile('titles.ts', text, ts.ScriptTarget.Latest), undefined)
  return titles
}

// A group of one engine has its engine before its title.
function describedBy({ expression, arguments: parts }: ts.CallExpression): { isGroup: boolean; title: string } | null {
  const name = calleeOf(expression)
  const title = parts.filter(ts.isStringLiteralLike).at(-1)?.text
  if (name === null || title === undefined) return null
  if (name === 'test') return { isGroup: false, title }
  return name.startsWith('describe') ? { isGroup: true, title } : null
}

// `test(…)`, and `test.each(…)(…)` however it is chained. What is skipped holds nothing.
function calleeOf(callee: ts.Expression): string | null {
  if (ts.isIdentifier(callee)) return callee.text
  if (ts.isCallExpression(callee)) return calleeOf(callee.expression)
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 'each' ? calleeOf(callee.expression) : null
}
