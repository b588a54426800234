import { readInlines } from './inlines.ts'
import type { MarkdownNode, Reading } from './markdown-node.ts'

const FENCE = /^( *)(`{3,}|~{3,})([^`]*)$/
const HEADING = /^ *(#{1,6})(?:[ \t]+(.*))?$/
const RULE = /^ *([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const QUOTE = /^ *> ?/
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:( +)(.*))?$/
const BLANK = /^\s*$/

// Containers below this are text: nobody reads them, and a page has to lay them out.
const DEEPEST = 10

/** The blocks of some lines. Indented code is not known: an indented line is one like any other. */
export function readBlocks(lines: readonly string[], reading: Reading, depth: number): MarkdownNode[] {
  const nodes: MarkdownNode[] = []
  const cursor: Cursor = { lines, at: 0 }
  while (cursor.at < lines.length && reading.left > 0) {
    if (BLANK.test(lines[cursor.at] ?? '')) {
      cursor.at += 1
      continue
    }
    reading.left -= 1
    nodes.push(readBlock(cursor, reading, depth))
  }
  if (cursor.at < lines.length) reading.left = -1
  return nodes
}

interface Cursor {
  readonly lines: readonly string[]
  at: number
}

function readBlock(cursor: Cursor, reading: Reading, depth: number): MarkdownNode {
  const line = cursor.lines[cursor.at] ?? ''
  const fence = FENCE.exec(line)
  if (fence) return readFence(cursor, fence)
  const heading = HEADING.exec(line)
  if (heading) {
    cursor.at += 1
    const text = (heading[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, '')
    return { type: 'heading', rank: heading[1]?.length ?? 1, children: readInlines(text.trim(), reading) }
  }
  if (RULE.test(line)) {
    cursor.at += 1
    return { type: 'rule' }
  }
  if (depth < DEEPEST) {
    if (QUOTE.test(line)) {
      return { type: 'quote', children: readBlocks(quotedLines(cursor), reading, depth + 1) }
    }
    const item = ITEM.exec(line)
    if (item) return readList(cursor, item, { reading, depth })
  }
  return { type: 'paragraph', children: readInlines(paragraphText(cursor, depth), reading) }
}

function readFence(cursor: Cursor, [, indent = '', marks = '']: RegExpExecArray): MarkdownNode {
  const end = new RegExp(`^ *[${marks[0]}]{${marks.length},}[ \\t]*$`)
  const inner = new RegExp(`^ {0,${indent.length}}`)
  const text: string[] = []
  for (cursor.at += 1; cursor.at < cursor.lines.length; cursor.at += 1) {
    const line = cursor.lines[cursor.at] ?? ''
    if (end.test(line)) {
      cursor.at += 1
      break
    }
    text.push(line.replace(inner, ''))
  }
  return { type: 'code_block', text: text.join('\n') }
}

// Lines go on as they began; one without its mark goes on a paragraph, and nothing else.
function quotedLines(cursor: Cursor): string[] {
  const quoted: string[] = []
  for (; cursor.at < cursor.lines.length; cursor.at += 1) {
    const line = cursor.lines[cursor.at] ?? ''
    const isMarked = QUOTE.test(line)
    if (!isMarked && !goesOnLazily(line, quoted)) break
    quoted.push(isMarked ? line.replace(QUOTE, '') : line)
  }
  return quoted
}

function goesOnLazily(line: string, before: readonly string[]): boolean {
  const last = before.at(-1) ?? ''
  if (BLANK.test(line) || endsParagraph(line)) return false
  if (BLANK.test(last) || RULE.test(last) || HEADING.test(last)) return false
  return !ITEM.test(line)
}

interface Place {
  reading: Reading
  depth: number
}

function readList(cursor: Cursor, first: RegExpExecArray, place: Place): MarkdownNode {
  const mark = first[2] ?? ''
  const children: MarkdownNode[] = []
  for (let item: RegExpExecArray | null = first; item && place.reading.left > 0; ) {
    place.reading.left -= 1
    const lines = itemLines(cursor, item)
    children.push({ type: 'item', children: readBlocks(lines, place.reading, place.depth + 1) })
    const next = nextItem(cursor)
    item = next && kindOf(next[2] ?? '') === kindOf(mark) ? next : null
  }
  return { type: 'list', isOrdered: mark.length > 1, start: mark.length > 1 ? Number.parseInt(mark, 10) : 1, children }
}

// A list goes on for as long as its items have the same kind of mark.
function kindOf(mark: string): string {
  return mark.slice(-1)
}

function nextItem(cursor: Cursor): RegExpExecArray | null {
  const at = cursor.lines.findIndex((line, index) => index >= cursor.at && !BLANK.test(line))
  const line = cursor.lines[at] ?? ''
  const item = at === -1 || RULE.test(line) ? null : ITEM.exec(line)
  if (item) cursor.at = at
  return item
}

function itemLines(cursor: Cursor, [, indent = '', mark = '', gap = ' ', text = '']: RegExpExecArray): string[] {
  const width = indent.length + mark.length + (gap.length > 4 ? 1 : gap.length)
  const lines = [gap.length > 4 ? gap.slice(1) + text : text]
  for (cursor.at += 1; cursor.at < cursor.lines.length; cursor.at += 1) {
    const line = cursor.lines[cursor.at] ?? ''
    const isWithin = line.length - line.trimStart().length >= width
    const isAfterBlank = BLANK.test(lines.at(-1) ?? '')
    // An item may begin with one empty line, and not with two.
    if (isAfterBlank && lines.length === 1 && (BLANK.test(line) || !isWithin)) break
    if (!BLANK.test(line) && !isWithin && (isAfterBlank || ITEM.test(line) || endsParagraph(line))) break
    lines.push(isWithin ? line.slice(width) : line.trimStart())
  }
  return lines
}

function paragraphText(cursor: Cursor, depth: number): string {
  const text = [cursor.lines[cursor.at] ?? '']
  for (cursor.at += 1; cursor.at < cursor.lines.length; cursor.at += 1) {
    const line = cursor.lines[cursor.at] ?? ''
    if (BLANK.test(line) || (depth < DEEPEST && endsParagraph(line))) break
    text.push(line)
  }
  // Two blanks or a backslash at the end break a line; here every line end does.
  return text.map((line, index) => (index < text.length - 1 ? line.trim().replace(/\\$/, '') : line.trim())).join('\n')
}

// Numbers begin a list within a paragraph with 1 alone: a line may well begin with a year.
function endsParagraph(line: string): boolean {
  if (FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || RULE.test(line)) return true
  const [, , mark = '', , text = ''] = ITEM.exec(line) ?? []
  return text !== '' && (mark.length === 1 || Number.parseInt(mark, 10) === 1)
}
