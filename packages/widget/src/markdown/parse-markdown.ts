import { parse, postprocess, preprocess } from 'micromark'
import { decodeReferences } from './decode-references.ts'

/** Markdown as a tree that has no place for markup, images or scripts. Its texts are texts, never HTML. */
export type MarkdownNode =
  | { readonly type: 'text' | 'code' | 'code_block'; readonly text: string }
  | { readonly type: 'rule' }
  | { readonly type: 'paragraph' | 'quote' | 'item' | 'strong' | 'emphasis'; readonly children: MarkdownNode[] }
  | { readonly type: 'heading'; rank: number; readonly children: MarkdownNode[] }
  | { readonly type: 'list'; readonly isOrdered: boolean; start: number; readonly children: MarkdownNode[] }
  | { readonly type: 'link'; url: string; readonly children: MarkdownNode[] }

export interface MarkdownLimits {
  /** Longer texts are cut. */
  characters: number
  lines: number
  /** What comes after so many nodes is left out. */
  nodes: number
}

const LIMITS: MarkdownLimits = { characters: 20_000, lines: 600, nodes: 1_500 }
// Deeper levels go flat into the last one, so that no tree outgrows the stack.
const DEEPEST = 24

// What is not understood is text: raw HTML, images, and links by reference, whose targets stand elsewhere.
const DISABLED = ['htmlFlow', 'htmlText', 'labelStartImage', 'definition', 'characterReference', 'codeIndented']

type Parent = Extract<MarkdownNode, { children: MarkdownNode[] }>

/**
 * Reads Markdown of any origin. `checkUrl` says which addresses links may lead to; a link to another one is its text.
 * `isCut` tells that more was sent than is in the tree.
 */
export function parseMarkdown(
  source: string,
  checkUrl: (url: string) => string | null,
  limits: MarkdownLimits = LIMITS,
): { nodes: MarkdownNode[]; isCut: boolean } {
  const text = beginningOf(source, limits)
  const reading = parse({ extensions: [{ disable: { null: DISABLED } }] }).document()
  const tree = new Tree(checkUrl, limits.nodes)
  for (const [kind, token, context] of postprocess(reading.write(preprocess()(tamed(text), null, true)))) {
    if (kind === 'enter') tree.enter(token.type)
    else tree.exit(token.type, () => context.sliceSerialize(token))
  }
  return { nodes: tree.root, isCut: tree.isFull || text.length < source.length }
}

function beginningOf(source: string, { characters, lines }: MarkdownLimits): string {
  const text = source.slice(0, characters)
  let end = -1
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return text
  }
  return text.slice(0, end)
}

// The reader’s time grows with the square of the marks that it has to hold open; nobody writes that many.
const MARKS = /[[\]*_`<]/g
const MOST_MARKS = 1_000
const DEEP_LINE = /^([ \t>*+\-.)\d]{60})[ \t>*+\-.)\d]+/gm

function tamed(text: string): string {
  let marks = 0
  return text.replace(DEEP_LINE, '$1').replace(MARKS, (mark) => {
    marks += 1
    return marks <= MOST_MARKS ? mark : ' '
  })
}

/** Takes tokens in, keeps what may be shown. */
class Tree {
  readonly root: MarkdownNode[] = []
  isFull = false
  // Null for a level that is not kept; what is in it goes to the level above.
  readonly #open: (Parent | null)[] = []
  readonly #checkUrl: (url: string) => string | null
  #left: number
  #code: string[] | null = null
  #muted = 0

  constructor(checkUrl: (url: string) => string | null, nodes: number) {
    this.#checkUrl = checkUrl
    this.#left = nodes
  }

  enter(type: string): void {
    if (MUTED.has(type)) this.#muted += 1
    if (type === 'codeFenced' || type === 'codeText') this.#code = []
    if (type === 'listItemPrefix') this.#closeItem()
    const parent = PARENTS[type]?.()
    if (parent) this.#push(parent)
  }

  exit(type: string, slice: () => string): void {
    if (MUTED.has(type)) this.#muted -= 1
    EXITS[type]?.(this, slice)
    if (type === 'listOrdered' || type === 'listUnordered') this.#closeItem()
    // An item begins with its prefix and ends with the next one, or with its list.
    if (type !== 'listItemPrefix' && PARENTS[type]) this.#close()
  }

  text(text: string): void {
    if (this.#muted > 0) return
    if (this.#code) {
      this.#code.push(text)
      return
    }
    const siblings = this.#siblings()
    const last = siblings.at(-1)
    if (last?.type === 'text') siblings[siblings.length - 1] = { type: 'text', text: last.text + text }
    else this.#append({ type: 'text', text })
  }

  /** Within text it is where the line was broken; between blocks it is nothing. */
  lineEnding(): void {
    if (this.#code || INLINE.has(this.#parent()?.type ?? '')) this.text('\n')
  }

  codeEnded(type: 'code' | 'code_block'): void {
    const text = (this.#code ?? []).join('')
    this.#code = null
    this.#append({ type, text: type === 'code' ? text.replaceAll('\n', ' ') : text.replace(/^\n|\n$/g, '') })
  }

  rule(): void {
    this.#append({ type: 'rule' })
  }

  headingRank(rank: number): void {
    const heading = this.#parent()
    if (heading?.type === 'heading') heading.rank ||= rank
  }

  listStart(value: string): void {
    const list = this.#open.findLast((parent) => parent?.type === 'list')
    if (list?.type === 'list' && list.children.length === 1) list.start = Number.parseInt(value, 10) || 0
  }

  destination(url: string): void {
    const link = this.#parent()
    if (link?.type === 'link') link.url = this.#checkUrl(decodeReferences(unescaped(url))) ?? ''
  }

  autolink(url: string): void {
    const checked = this.#checkUrl(url)
    if (checked === null) this.text(url)
    else this.#append({ type: 'link', url: checked, children: [{ type: 'text', text: url }] })
  }

  #push(node: Parent): void {
    const isKept = this.#open.length < DEEPEST && this.#append(node)
    this.#open.push(isKept ? node : null)
  }

  #closeItem(): void {
    if (this.#open.at(-1)?.type === 'item') this.#close()
  }

  #close(): void {
    const node = this.#open.pop()
    if (node?.type === 'heading') trimEnd(node)
    if (node?.type !== 'link' || node.url !== '') return
    // A link that leads nowhere is what it says.
    const siblings = this.#siblings()
    siblings.splice(siblings.lastIndexOf(node), 1, ...node.children)
  }

  #append(node: MarkdownNode): boolean {
    if (this.#left === 0) {
      this.isFull = true
      return false
    }
    this.#left -= 1
    this.#siblings().push(node)
    return true
  }

  #parent(): Parent | null {
    return this.#open.findLast((parent) => parent !== null) ?? null
  }

  #siblings(): MarkdownNode[] {
    return this.#parent()?.children ?? this.root
  }
}

const PARENTS: Readonly<Record<string, (() => Parent) | undefined>> = {
  paragraph: () => ({ type: 'paragraph', children: [] }),
  atxHeading: () => ({ type: 'heading', rank: 0, children: [] }),
  setextHeading: () => ({ type: 'heading', rank: 0, children: [] }),
  blockQuote: () => ({ type: 'quote', children: [] }),
  listOrdered: () => ({ type: 'list', isOrdered: true, start: 1, children: [] }),
  listUnordered: () => ({ type: 'list', isOrdered: false, start: 1, children: [] }),
  listItemPrefix: () => ({ type: 'item', children: [] }),
  strong: () => ({ type: 'strong', children: [] }),
  emphasis: () => ({ type: 'emphasis', children: [] }),
  link: () => ({ type: 'link', url: '', children: [] }),
}

const INLINE: ReadonlySet<string> = new Set(['paragraph', 'heading', 'strong', 'emphasis', 'link'])

// What stands in these is no text of the answer.
const MUTED: ReadonlySet<string> = new Set(['codeFencedFence', 'resource', 'setextHeadingLine'])

type Exit = (tree: Tree, slice: () => string) => void

const literal: Exit = (tree, slice) => tree.text(slice())

const EXITS: Readonly<Record<string, Exit | undefined>> = {
  data: (tree, slice) => tree.text(decodeReferences(slice())),
  characterEscapeValue: literal,
  codeTextData: literal,
  codeFlowValue: literal,
  autolinkEmail: literal,
  lineEnding: (tree) => tree.lineEnding(),
  codeFenced: (tree) => tree.codeEnded('code_block'),
  codeText: (tree) => tree.codeEnded('code'),
  thematicBreak: (tree) => tree.rule(),
  atxHeadingSequence: (tree, slice) => tree.headingRank(slice().length),
  setextHeadingLineSequence: (tree, slice) => tree.headingRank(slice().startsWith('=') ? 1 : 2),
  listItemValue: (tree, slice) => tree.listStart(slice()),
  resourceDestinationString: (tree, slice) => tree.destination(slice()),
  autolinkProtocol: (tree, slice) => tree.autolink(slice()),
}

// The line end between a heading and its underline.
function trimEnd({ children }: Parent): void {
  const last = children.at(-1)
  if (last?.type === 'text') children[children.length - 1] = { type: 'text', text: last.text.trimEnd() }
}

function unescaped(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}
