import { decodeReferences } from './decode-references.ts'
import { type Delimiter, delimiterAt, type Item, withEmphasis } from './emphasis.ts'
import type { MarkdownNode, Reading } from './markdown-node.ts'

// Plain characters up to the next one that may mean something.
const PLAIN = /[^\\`*_[\]!<h]+/y
const ESCAPED = /\\([!-/:-@[-`{-~])/y
const TICKS = /`+/y
const AUTOLINK = /<(https?:\/\/[^\s<>]{1,2048})>/iy
const BARE_URL = /https?:\/\/[^\s<>"`*\\^{|}[\]]{1,2048}/iy
const TARGET =
  /\(\s{0,9}(?:<([^<>\n]{0,2048})>|((?!<)[^\s()]{0,2048}(?:\([^\s()]{0,512}\)[^\s()]{0,2048}){0,4}))(?:\s{1,9}(?:"[^"]{0,512}"|'[^']{0,512}'))?\s{0,9}\)/y

/** The text of a block: emphasis, code, links, and everything else as it stands. */
export function readInlines(text: string, reading: Reading): MarkdownNode[] {
  return new InlineReader(text, reading).read()
}

class InlineReader {
  readonly #text: string
  readonly #reading: Reading
  #items: Item[] = []
  // Where links may begin, as places among the items.
  readonly #brackets: number[] = []
  // Runs of backticks that nothing closes: they are not looked for twice.
  readonly #unclosed = new Set<number>()
  #at = 0

  constructor(text: string, reading: Reading) {
    this.#text = text
    this.#reading = reading
  }

  read(): MarkdownNode[] {
    while (this.#at < this.#text.length && this.#reading.left > 0) this.#readOne()
    if (this.#at < this.#text.length) this.#reading.left = -1
    return withEmphasis(this.#items, 0)
  }

  #readOne(): void {
    const plain = this.#match(PLAIN)
    if (plain) this.#say(decodeReferences(plain[0]))
    else this.#readSign(this.#text[this.#at] ?? '')
  }

  #readSign(sign: string): void {
    switch (sign) {
      case '`':
        this.#readCode()
        break
      case '*':
      case '_':
        this.#readDelimiter()
        break
      case '[':
        this.#openBracket()
        break
      case ']':
        this.#closeBracket()
        break
      case '<':
        this.#readAutolink()
        break
      case 'h':
        this.#readUrl()
        break
      default:
        this.#readMark(sign)
    }
  }

  #readMark(sign: string): void {
    if (sign === '\\') this.#say(this.#match(ESCAPED)?.[1] ?? this.#take())
    // An image is a link to it: nothing that a text names is loaded.
    else if (this.#text[this.#at + 1] === '[') this.#at += 1
    else this.#say(this.#take())
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at = pattern.lastIndex
    return match
  }

  #take(): string {
    this.#at += 1
    return this.#text[this.#at - 1] ?? ''
  }

  #say(text: string): void {
    const last = this.#items.at(-1)
    // What follows a bracket is kept apart from it: it may become the words of a link.
    if (last && 'type' in last && last.type === 'text' && this.#brackets.at(-1) !== this.#items.length - 1) {
      this.#items[this.#items.length - 1] = { type: 'text', text: last.text + text }
    } else this.#push({ type: 'text', text })
  }

  #push(item: Item): void {
    this.#reading.left -= 1
    this.#items.push(item)
  }

  #readCode(): void {
    const ticks = this.#match(TICKS)?.[0] ?? ''
    const end = this.#unclosed.has(ticks.length) ? -1 : this.#closingTicks(ticks)
    if (end === -1) {
      this.#unclosed.add(ticks.length)
      this.#say(ticks)
      return
    }
    const code = this.#text.slice(this.#at, end).replaceAll('\n', ' ')
    const isPadded = /^ .*[^ ].* $|^ [^ ] $/.test(code)
    this.#push({ type: 'code', text: isPadded ? code.slice(1, -1) : code })
    this.#at = end + ticks.length
  }

  #closingTicks(ticks: string): number {
    for (let at = this.#text.indexOf(ticks, this.#at); at !== -1; ) {
      let end = at
      while (this.#text[end] === '`') end += 1
      if (end - at === ticks.length) return at
      at = this.#text.indexOf(ticks, end)
    }
    return -1
  }

  #readDelimiter(): void {
    const delimiter: Delimiter = delimiterAt(this.#text, this.#at)
    this.#at += delimiter.count
    this.#push(delimiter)
  }

  #openBracket(): void {
    this.#at += 1
    this.#push({ type: 'text', text: '[' })
    this.#brackets.push(this.#items.length - 1)
  }

  #closeBracket(): void {
    this.#at += 1
    const from = this.#brackets.pop()
    const target = from === undefined ? null : this.#match(TARGET)
    if (from === undefined || !target) {
      this.#say(']')
      return
    }
    const children = withEmphasis(this.#items, from + 1)
    const url = this.#reading.checkUrl(decodeReferences(unescaped(target[1] ?? target[2] ?? '')))
    // A link that may lead nowhere is what it says. Links hold no links: what was open around this one is text.
    this.#items = [...this.#items.slice(0, from), ...(url === null ? children : [link(url, children)])]
    this.#brackets.length = 0
  }

  #readAutolink(): void {
    const url = this.#match(AUTOLINK)?.[1]
    if (url === undefined) this.#say(this.#take())
    else this.#pushUrl(url)
  }

  #readUrl(): void {
    const isWithinWord = /\w/.test(this.#text[this.#at - 1] ?? '')
    const url = isWithinWord ? undefined : this.#match(BARE_URL)?.[0]
    if (url === undefined) {
      this.#say(this.#take())
      return
    }
    // Signs that end a sentence, and a bracket around the address, are none of it.
    const trimmed = url
      .replace(/[.,:;!?'_~]+$/, '')
      .replace(/[)\]]+[.,:;!?)\]]*$/, (tail) => (url.includes('(') ? tail : ''))
    this.#at -= url.length - trimmed.length
    this.#pushUrl(trimmed)
  }

  #pushUrl(url: string): void {
    // Within brackets it belongs to the words of a link.
    const checked = this.#brackets.length > 0 ? null : this.#reading.checkUrl(url)
    if (checked === null) this.#say(url)
    else this.#push(link(checked, [{ type: 'text', text: url }]))
  }
}

function link(url: string, children: MarkdownNode[]): MarkdownNode {
  return { type: 'link', url, children }
}

function unescaped(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}
