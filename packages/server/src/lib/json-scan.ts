/** The size of the tree that a JSON text would become. */
export interface JsonExtent {
  /** Levels of nested arrays and objects. */
  depth: number
  /** An upper bound: counts brackets and commas. */
  values: number
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Measures a JSON text in one pass, without recursion, and stops past `limits`. */
export function measureJson(text: string, limits: JsonExtent): JsonExtent {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let at = 0; at < text.length && depth <= limits.depth && values <= limits.values; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(text, at)
    else if (unit === COMMA) values += 1
    else if (unit === BRACE || unit === BRACKET) {
      values += 1
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (unit === CLOSING_BRACE || unit === CLOSING_BRACKET) depth -= 1
  }
  return { depth: deepest, values }
}

/** The index of the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let unit = text.charCodeAt(at); at < text.length && unit !== QUOTE; unit = text.charCodeAt(at)) {
    at += unit === BACKSLASH ? 2 : 1
  }
  return at
}
