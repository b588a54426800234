import { endOfString } from './json-scan.ts'

/** The message for the field that {@link inexactNumber} names. */
export const INEXACT_NUMBER = 'holds a number that JSON readers would round: send it as text.'

// Sixteen digits in a row, or an exponent of three digits; both may also be part of a string.
const MAY_BE_INEXACT = /\d{16}|\d[eE]\+?\d{3}/
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const INTEGER = /^-?\d+$/

/**
 * The dotted path of the first number, under one of these top-level fields where any are given, that a JavaScript number
 * cannot hold: an integer beyond ±(2^53 − 1), or a number beyond the range of a double. The text must be valid JSON.
 */
export function inexactNumber(text: string, fields?: readonly string[]): string | null {
  if (!MAY_BE_INEXACT.test(text)) return null
  const position = new Position()
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at)
    position.advance(token)
    if (isInexact(token) && position.isUnder(fields)) return position.path
    at += token.length
  }
  return null
}

/** A string, a number, or any other single character. */
function tokenAt(text: string, at: number): string {
  const first = text.charAt(at)
  if (first === '"') return text.slice(at, endOfString(text, at) + 1)
  if (first !== '-' && (first < '0' || first > '9')) return first
  NUMBER.lastIndex = at
  return NUMBER.exec(text)?.[0] ?? first
}

function isInexact(token: string): boolean {
  if (!/^-?\d/.test(token)) return false
  const value = Number(token)
  return INTEGER.test(token) ? !Number.isSafeInteger(value) : !Number.isFinite(value)
}

/** The keys and indexes that lead to a position in a JSON text. */
class Position {
  readonly #steps: (string | number)[] = []
  #isKeyNext = false

  get path(): string {
    return this.#steps.join('.')
  }

  isUnder(fields: readonly string[] | undefined): boolean {
    return fields === undefined || fields.includes(String(this.#steps[0]))
  }

  advance(token: string): void {
    switch (token.charAt(0)) {
      case '{':
      case '[':
        this.#isKeyNext = token === '{'
        this.#steps.push(this.#isKeyNext ? '' : 0)
        break
      case '}':
      case ']':
        this.#steps.pop()
        break
      case ',':
        this.#next()
        break
      case '"':
        if (this.#isKeyNext) this.#steps[this.#steps.length - 1] = JSON.parse(token)
        this.#isKeyNext = false
        break
      default:
    }
  }

  #next(): void {
    const last = this.#steps.pop() ?? 0
    this.#isKeyNext = typeof last === 'string'
    this.#steps.push(typeof last === 'string' ? '' : last + 1)
  }
}
