import type { MarkdownNode } from './markdown-node.ts'

/** A run of `*` or `_`, of which pairs with another one make what is between them stand out. */
export interface Delimiter {
  readonly mark: string
  count: number
  readonly length: number
  readonly canOpen: boolean
  readonly canClose: boolean
}

export type Item = MarkdownNode | Delimiter

const SPACE = /^\s?$/u
const SIGN = /[\p{P}\p{S}]/u
// Deeper emphasis looks like none.
const DEEPEST = 8

/** The run that begins here, and whether it may open or close by what stands around it. */
export function delimiterAt(text: string, at: number): Delimiter {
  const mark = text[at] ?? ''
  let end = at
  while (text[end] === mark) end += 1
  const [before, after] = [text[at - 1] ?? '', text[end] ?? '']
  const isLeft = !SPACE.test(after) && (!SIGN.test(after) || SPACE.test(before) || SIGN.test(before))
  const isRight = !SPACE.test(before) && (!SIGN.test(before) || SPACE.test(after) || SIGN.test(after))
  const isWordy = mark === '_'
  return {
    mark,
    count: end - at,
    length: end - at,
    canOpen: isLeft && (!isWordy || !isRight || SIGN.test(before)),
    canClose: isRight && (!isWordy || !isLeft || SIGN.test(after)),
  }
}

/** The items from a place on as nodes: paired delimiters as emphasis, the others as the text that they are. */
export function withEmphasis(items: readonly Item[], from: number): MarkdownNode[] {
  const list: (Item & { depth?: number })[] = items.slice(from)
  // For each kind of closer, before which place nothing opens it: no place is looked at twice for the same.
  const bottoms = new Map<string, number>()
  for (let at = 0; at < list.length; ) {
    const closer = list[at]
    if (!isDelimiter(closer) || !closer.canClose || closer.count === 0) {
      at += 1
      continue
    }
    const kind = `${closer.mark}${closer.canOpen}${closer.length % 3}`
    const opener = openerOf(list, at, bottoms.get(kind) ?? 0)
    if (opener === -1) {
      bottoms.set(kind, at)
      at += 1
      continue
    }
    wrap(list, opener, at)
    // The nodes between them are one node now: later places have moved, and none of them is known yet.
    for (const [other, bottom] of bottoms) bottoms.set(other, Math.min(bottom, opener + 1))
    at = opener + 2
  }
  return list.flatMap((item): MarkdownNode[] => (isDelimiter(item) ? textOf(item) : [item]))
}

function isDelimiter(item: Item | undefined): item is Delimiter {
  return item !== undefined && 'mark' in item
}

function textOf({ mark, count }: Delimiter): MarkdownNode[] {
  return count === 0 ? [] : [{ type: 'text', text: mark.repeat(count) }]
}

function openerOf(list: readonly Item[], at: number, bottom: number): number {
  const closer = list[at]
  if (!isDelimiter(closer)) return -1
  for (let place = at - 1; place >= bottom; place -= 1) {
    const opener = list[place]
    if (!isDelimiter(opener) || opener.mark !== closer.mark || !opener.canOpen || opener.count === 0) continue
    // Runs that open and close at once pair only where their lengths do not add up to a multiple of three.
    const isEither = opener.canClose || closer.canOpen
    const isOdd = (opener.length + closer.length) % 3 === 0 && (opener.length % 3 !== 0 || closer.length % 3 !== 0)
    if (!isEither || !isOdd) return place
  }
  return -1
}

const depths = new WeakMap<MarkdownNode, number>()

// Puts what is between the two into a node of its own, which then stands between what is left of them.
function wrap(list: Item[], opener: number, closer: number): void {
  const [left, right] = [list[opener], list[closer]]
  if (!isDelimiter(left) || !isDelimiter(right)) return
  const size = left.count > 1 && right.count > 1 ? 2 : 1
  left.count -= size
  right.count -= size
  const children = list
    .slice(opener + 1, closer)
    .flatMap((item): MarkdownNode[] => (isDelimiter(item) ? textOf(item) : [item]))
  const depth = 1 + Math.max(0, ...children.map((child) => depths.get(child) ?? 0))
  const node: MarkdownNode = { type: size === 2 ? 'strong' : 'emphasis', children }
  depths.set(node, depth)
  list.splice(opener + 1, closer - opener - 1, ...(depth > DEEPEST ? children : [node]))
}
