export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** More cells than this would keep a browser busy; such texts are told apart as a whole. */
const MAX_CELLS = 4_000_000

/** What leads from one text to another, line by line, with as few changes as there can be. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const head = commonHead(old, fresh)
  const tail = commonHead(old.slice(head).reverse(), fresh.slice(head).reverse())
  const middle = diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail))
  return [...lines('same', old.slice(0, head)), ...middle, ...lines('same', old.slice(old.length - tail))]
}

// No text is no line, not an empty one.
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

function commonHead(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one[length] === other[length]) length += 1
  return length
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > MAX_CELLS) return [...lines('removed', old), ...lines('added', fresh)]
  const longest = commonLengths(old, fresh)
  const width = fresh.length + 1
  const found: DiffLine[] = []
  let [left, right] = [0, 0]
  while (left < old.length && right < fresh.length) {
    const [removed = '', added = ''] = [old[left], fresh[right]]
    if (removed === added) {
      found.push({ kind: 'same', text: removed })
      left += 1
      right += 1
    } else if ((longest[(left + 1) * width + right] ?? 0) >= (longest[left * width + right + 1] ?? 0)) {
      found.push({ kind: 'removed', text: removed })
      left += 1
    } else {
      found.push({ kind: 'added', text: added })
      right += 1
    }
  }
  return [...found, ...lines('removed', old.slice(left)), ...lines('added', fresh.slice(right))]
}

// The length of the longest common subsequence of what is left of both, for every place in both.
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  for (let left = old.length - 1; left >= 0; left -= 1) {
    for (let right = fresh.length - 1; right >= 0; right -= 1) {
      const at = left * width + right
      longest[at] =
        old[left] === fresh[right]
          ? (longest[at + width + 1] ?? 0) + 1
          : Math.max(longest[at + width] ?? 0, longest[at + 1] ?? 0)
    }
  }
  return longest
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }))
}
