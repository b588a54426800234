import { isJsonObject } from '@svc/contract'

/** The first text in JSON that no store can hold: its place, dotted, and what is wrong; null where there is none. */
export function textFault(value: unknown, path: readonly string[]): readonly [string, string] | null {
  if (typeof value === 'string') {
    const problem = textProblem(value)
    return problem === null ? null : [path.join('.'), `contains ${problem}.`]
  }
  if (!Array.isArray(value) && !isJsonObject(value)) return null
  for (const [name, member] of Object.entries(value)) {
    const problem = nameProblem(name)
    if (problem !== null) return [path.join('.'), `has a field whose name ${problem}.`]
    const fault = textFault(member, [...path, name])
    if (fault) return fault
  }
  return null
}

function nameProblem(name: string): string | null {
  if (name === '__proto__') return 'is “__proto__”, which is not accepted'
  const problem = textProblem(name)
  return problem === null ? null : `contains ${problem}`
}

function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'the NUL character'
  return /\p{Surrogate}/u.test(text) ? 'half of a surrogate pair (a character that was cut in two)' : null
}
