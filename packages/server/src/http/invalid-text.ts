import { isJsonObject } from '@svc/contract'

export interface InvalidText {
  /** Dotted; empty for the value itself. */
  path: string
  message: string
}

const SUSPECT_ESCAPE = /\\u(?:0000|d[89a-f])/i
const LONE_SURROGATE = /\p{Surrogate}/u

/** True where JSON text may hold a NUL or half a surrogate pair. In valid JSON both are written as escapes. */
export function mayHoldInvalidText(json: string): boolean {
  return SUSPECT_ESCAPE.test(json)
}

/** The first text in a value that not every store and receiver takes: with a NUL, or with half a surrogate pair. */
export function invalidText(value: unknown, path = ''): InvalidText | null {
  if (typeof value === 'string') {
    const problem = problemOf(value)
    return problem === null ? null : { path, message: `must not contain ${problem}.` }
  }
  if (!Array.isArray(value) && !isJsonObject(value)) return null
  for (const [name, member] of Object.entries(value)) {
    const problem = problemOf(name)
    if (problem) return { path, message: `has a field whose name contains ${problem}.` }
    const found = invalidText(member, path === '' ? name : `${path}.${name}`)
    if (found) return found
  }
  return null
}

function problemOf(text: string): string | null {
  if (text.includes('\0')) return 'the NUL character'
  return LONE_SURROGATE.test(text) ? 'half of a surrogate pair (a character that was cut in two)' : null
}
