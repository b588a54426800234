import { isJsonObject } from '@svc/contract'

/** A place in a JSON value, and what is wrong with the text that stands there. */
export interface TextFault {
  /** Dotted; empty for the value itself. */
  path: string
  message: string
}

const ESCAPE_OF_NOTE = /\\u(?:0000|d[89a-f])/i
const LONE_SURROGATE = /\p{Surrogate}/u

/** True when JSON text may hold a NUL or half a surrogate pair: in valid JSON, both can come as an escape alone. */
export function maySpoilText(json: string): boolean {
  return ESCAPE_OF_NOTE.test(json)
}

/** The first text in a value that not every store and receiver can hold: with a NUL, or with half a surrogate pair. */
export function textFault(value: unknown, path = ''): TextFault | null {
  if (typeof value === 'string') {
    const problem = textProblem(value)
    return problem === null ? null : { path, message: `must not contain ${problem}.` }
  }
  if (!Array.isArray(value) && !isJsonObject(value)) return null
  for (const [name, member] of Object.entries(value)) {
    const problem = textProblem(name)
    if (problem) return { path, message: `has a field whose name contains ${problem}.` }
    const fault = textFault(member, path === '' ? name : `${path}.${name}`)
    if (fault) return fault
  }
  return null
}

function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'the NUL character'
  return LONE_SURROGATE.test(text) ? 'half of a surrogate pair (a character that was cut in two)' : null
}
