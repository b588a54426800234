import { createUrlCheck, type MarkdownNode, parseMarkdown, safeText } from '@svc/widget'
import { type ReactNode, useMemo } from 'react'
import { SCROLLABLE } from '../../ui/scrollable.ts'
import { OutsideLink } from './outside-link.tsx'

const checkUrl = createUrlCheck(null)
const LONGEST = 100_000

/** What a model wrote. Its tree has no place for markup: texts are texts, and links lead to https addresses alone. */
export function MarkdownView({ source }: { source: string }): ReactNode {
  const { nodes, isCut } = useMemo(() => parseMarkdown(safeText(source, LONGEST), checkUrl), [source])
  return (
    <div className="flex flex-col gap-2 text-sm [overflow-wrap:anywhere]">
      <Nodes nodes={nodes} />
      {isCut && <p className="text-muted">Shortened: there was more than can be shown.</p>}
    </div>
  )
}

function Nodes({ nodes }: { nodes: readonly MarkdownNode[] }): ReactNode {
  const placed = nodes.map((node, place) => ({ node, place }))
  return placed.map(({ node, place }) => <NodeView key={place} node={node} />)
}

function NodeView({ node }: { node: MarkdownNode }): ReactNode {
  switch (node.type) {
    case 'text':
      return node.text
    case 'code':
      return <code className="rounded bg-surface px-1 font-mono text-[13px]">{node.text}</code>
    case 'code_block':
      return (
        <pre {...SCROLLABLE} className="overflow-x-auto rounded bg-surface p-2 font-mono text-[13px]">
          <code>{node.text}</code>
        </pre>
      )
    case 'rule':
      return <hr className="border-line" />
    case 'link':
      return (
        <OutsideLink url={node.url} label={textOf(node.children)}>
          <Nodes nodes={node.children} />
        </OutsideLink>
      )
    case 'list':
      return <List node={node} />
    default:
      return <Container node={node} />
  }
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => ('text' in node ? node.text : 'children' in node ? textOf(node.children) : '')).join('')
}

function List({ node }: { node: Extract<MarkdownNode, { type: 'list' }> }): ReactNode {
  return node.isOrdered ? (
    <ol start={node.start} className="list-decimal pl-6">
      <Nodes nodes={node.children} />
    </ol>
  ) : (
    <ul className="list-disc pl-6">
      <Nodes nodes={node.children} />
    </ul>
  )
}

type ContainerNode = Exclude<Extract<MarkdownNode, { children: MarkdownNode[] }>, { type: 'link' | 'list' }>

const TAGS = { paragraph: 'p', quote: 'blockquote', item: 'li', strong: 'strong', emphasis: 'em' } as const

// A heading of an answer is none of the page’s.
function Container({ node }: { node: ContainerNode }): ReactNode {
  const Tag = node.type === 'heading' ? 'p' : TAGS[node.type]
  const isBlock = Tag === 'p' || Tag === 'blockquote' || Tag === 'li'
  return (
    <Tag {...(isBlock && { dir: 'auto' })} {...(node.type === 'heading' && { className: 'font-semibold' })}>
      <Nodes nodes={node.children} />
    </Tag>
  )
}
