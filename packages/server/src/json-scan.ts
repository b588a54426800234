/** What a JSON text would cost to hold and to walk. */
export interface JsonExtent {
  /** How deep arrays and objects stand in each other. */
  depth: number
  /** How many values there are at most: each opens something, or follows a comma. */
  values: number
}

/** Measures a JSON text in one pass, without recursion, and stops as soon as it is past `limits`. */
export function measureJson(text: string, limits: JsonExtent): JsonExtent {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let at = 0; at < text.length && depth <= limits.depth && values <= limits.values; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === ',') values += 1
    else if (character === '{' || character === '[') {
      values += 1
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (character === '}' || character === ']') depth -= 1
  }
  return { depth: deepest, values }
}

/** True when arrays and objects of a JSON text stand more than `levels` deep in each other. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  return measureJson(text, { depth: levels, values: Number.POSITIVE_INFINITY }).depth > levels
}

// Brackets and commas inside a string do not count.
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
