import { safeText } from '../conversation/safe-text.ts'
import type { UrlCheck } from '../conversation/safe-url.ts'
import type { MarkdownNode } from '../markdown/markdown-node.ts'
import { parseMarkdown } from '../markdown/parse-markdown.ts'
import { element } from './dom.ts'
import { link } from './link.ts'
import type { Strings } from './strings.ts'

const LONGEST = 100_000

/** Text that grows. Only what has changed is put on the page anew, so that a selection in the rest of it stays. */
export class MarkdownView {
  readonly root = element('div', { part: 'text' })
  readonly #checkUrl: UrlCheck
  readonly #strings: Strings
  #shown: string[] = []
  #source = ''

  constructor(checkUrl: UrlCheck, strings: Strings) {
    this.#checkUrl = checkUrl
    this.#strings = strings
  }

  update(source: string): void {
    if (source === this.#source) return
    this.#source = source
    const { nodes, isCut } = parseMarkdown(safeText(source, LONGEST), this.#checkUrl)
    const next = nodes.map((node) => JSON.stringify(node))
    if (isCut) next.push('')
    const same = next.findIndex((text, index) => text !== this.#shown[index])
    const from = same === -1 ? next.length : same
    for (const old of [...this.root.children].slice(from)) old.remove()
    this.root.append(...nodes.slice(from).map((node) => this.#render(node)))
    if (isCut) this.root.append(element('p', { part: 'note', text: this.#strings.shortened }))
    this.#shown = next
  }

  #render(node: MarkdownNode): Node {
    switch (node.type) {
      case 'text':
        return document.createTextNode(node.text)
      case 'code':
        return element('code', { part: 'code', text: node.text, attributes: { dir: 'ltr' } })
      case 'code_block':
        return element(
          'pre',
          { part: 'code-block', attributes: { dir: 'ltr', tabindex: '0' } },
          element('code', { text: node.text }),
        )
      case 'rule':
        return element('hr')
      case 'link':
        return link(node.url, this.#strings, ...this.#all(node.children))
      case 'list':
        return node.isOrdered
          ? element('ol', { attributes: { start: String(node.start) } }, ...this.#all(node.children))
          : element('ul', {}, ...this.#all(node.children))
      case 'heading':
        // Below the headings of the page and of the chat, whatever the text calls its own.
        return element(node.rank > 2 ? 'h4' : 'h3', { attributes: { dir: 'auto' } }, ...this.#all(node.children))
      default:
        return element(
          TAGS[node.type],
          BLOCKS.has(node.type) ? { attributes: { dir: 'auto' } } : {},
          ...this.#all(node.children),
        )
    }
  }

  #all(nodes: readonly MarkdownNode[]): Node[] {
    return nodes.map((node) => this.#render(node))
  }
}

const TAGS = { paragraph: 'p', quote: 'blockquote', item: 'li', strong: 'strong', emphasis: 'em' } as const
const BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'quote', 'item'])
