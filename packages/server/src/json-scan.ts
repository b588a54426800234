/** What a JSON text would cost to hold and to walk. */
export interface JsonExtent {
  /** How deep arrays and objects stand in each other. */
  depth: number
  /** How many values there are at most: each opens something, or follows a comma. */
  values: number
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39]

/** Measures a JSON text in one pass, without recursion, and stops as soon as it is past `limits`. */
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

/**
 * The dotted path of the first number, under one of these top-level fields where some are named, that no JavaScript number
 * holds as it is written: an integer beyond ±(2^53 − 1), or one too large for a double. The text must be valid JSON.
 */
export function inexactNumber(text: string, fields?: readonly string[]): string | null {
  if (!MAY_BE_INEXACT.test(text)) return null
  const path: (string | number)[] = []
  let isKey = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      const end = endOfString(text, at)
      if (isKey) path[path.length - 1] = JSON.parse(text.slice(at, end + 1))
      at = end
    } else if (unit === BRACE || unit === BRACKET) {
      isKey = unit === BRACE
      path.push(isKey ? '' : 0)
    } else if (unit === CLOSING_BRACE || unit === CLOSING_BRACKET) path.pop()
    else if (unit === COLON) isKey = false
    else if (unit === COMMA) {
      const last = path.at(-1)
      isKey = typeof last === 'string'
      if (typeof last === 'number') path[path.length - 1] = last + 1
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const number = numberAt(text, at)
      if (isInexact(number) && (fields?.includes(String(path[0])) ?? true)) return path.join('.')
      at += number.length - 1
    }
  }
  return null
}

/** What to say of the field that {@link inexactNumber} names. */
export const INEXACT_NUMBER = 'holds a number that JSON readers would round: send it as text.'

// Sixteen digits in a row, or an exponent of three; both may stand inside a string, too.
const MAY_BE_INEXACT = /\d{16}|\d[eE]\+?\d{3}/

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at
  return NUMBER.exec(text)?.[0] ?? text.charAt(at)
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const INTEGER = /^-?\d+$/

function isInexact(number: string): boolean {
  const value = Number(number)
  return INTEGER.test(number) ? !Number.isSafeInteger(value) : !Number.isFinite(value)
}

// Brackets and commas inside a string do not count.
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let unit = text.charCodeAt(at); at < text.length && unit !== QUOTE; unit = text.charCodeAt(at)) {
    at += unit === BACKSLASH ? 2 : 1
  }
  return at
}
