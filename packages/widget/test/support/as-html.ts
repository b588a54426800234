import type { MarkdownNode } from '@svc/widget'

/** The tree as HTML, to be compared with what another reader makes of the same text. */
export function asHtml(nodes: readonly MarkdownNode[]): string {
  return nodes.map(oneAsHtml).join('')
}

function oneAsHtml(node: MarkdownNode): string {
  switch (node.type) {
    case 'text':
      return escaped(node.text)
    case 'code':
      return `<code>${escaped(node.text)}</code>`
    case 'code_block':
      return `<pre><code>${escaped(node.text)}</code></pre>`
    case 'rule':
      return '<hr>'
    case 'heading':
      return `<h${node.rank}>${asHtml(node.children)}</h${node.rank}>`
    case 'list': {
      const start = node.isOrdered && node.start !== 1 ? ` start="${node.start}"` : ''
      const tag = node.isOrdered ? 'ol' : 'ul'
      return `<${tag}${start}>${asHtml(node.children)}</${tag}>`
    }
    case 'link':
      return `<a href="${escaped(node.url)}">${asHtml(node.children)}</a>`
    default:
      return `<${TAGS[node.type]}>${asHtml(node.children)}</${TAGS[node.type]}>`
  }
}

const TAGS = { paragraph: 'p', quote: 'blockquote', item: 'li', strong: 'strong', emphasis: 'em' } as const

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** HTML without what is a matter of layout: line ends, and whether the paragraphs of a list are tight. */
export function normalised(html: string): string {
  return html
    .replace(/ class="language-[^"]*"/g, '')
    .replace(/(<a href="[^"]*") title="[^"]*"/g, '$1')
    .replace(/<br \/>/g, ' ')
    .replaceAll('<hr />', '<hr>')
    .replace(/<\/?p>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:h\d|li|ul|ol|blockquote|pre|hr)(?: [^>]*)?>) ?/g, '$1')
    .replace(/ ?(<\/code><\/pre>)/g, '$1')
    .trim()
}
