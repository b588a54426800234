import ts from 'typescript'

/** A test whose comment `// holds SVC-01, SVC-02` says which statements of the interface it would break with. */
export interface HoldingTest {
  /** As it is written, placeholders of `test.each` included; after its group where the file has the title twice. */
  title: string
  ids: string[]
}

interface FoundTest {
  title: string
  group: string | undefined
  ids: string[]
}

const HOLDS = /^\/\/ holds ((?:[A-Z]{2,4}-\d{2}(?:, )?)+)$/gm

/** The tests of a file that hold statements, in their order. */
export function holdingTestsIn(text: string): HoldingTest[] {
  if (!text.includes('// holds ')) return []
  const source = ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest)
  const found: FoundTest[] = []
  const visit = (node: ts.Node, group: string | undefined, ids: string[]): void => {
    const idsHere = ts.isExpressionStatement(node) ? idsAbove(text, node) : ids
    const called = ts.isCallExpression(node) ? describedBy(node) : null
    if (called && !called.isGroup) found.push({ title: called.title, group, ids: idsHere })
    const within = called?.isGroup ? called.title : group
    ts.forEachChild(node, (child) => visit(child, within, called ? [] : idsHere))
  }
  visit(source, undefined, [])
  const isTwice = ({ title }: FoundTest) => found.filter((other) => other.title === title).length > 1
  return found
    .filter(({ ids }) => ids.length > 0)
    .map((test) => ({
      ids: test.ids,
      title: isTwice(test) && test.group ? `${test.group} › ${test.title}` : test.title,
    }))
}

function idsAbove(text: string, statement: ts.Node): string[] {
  const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []
  return comments
    .flatMap(({ pos, end }) => [...text.slice(pos, end).matchAll(HOLDS)])
    .flatMap(([, ids = '']) => ids.split(', '))
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
