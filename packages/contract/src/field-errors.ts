import type { z } from 'zod'
import type { FieldErrors } from './errors.ts'

// Fields that callers may expect to exist. A 400 names them: if they were ignored, they would seem to work.
const REFUSED_FIELDS = new Map([
  ['provider', 'is not accepted: every execution runs on the service’s own model credential. Remove it.'],
  ['model', 'is not accepted: the service chooses the model, so that tokens can be metered. Remove it.'],
  ['tier', 'is not accepted: the tier follows from the account’s plan, never from a request. Remove it.'],
  ['adp.endpoint', 'is not accepted: the published address is always the broker’s. Remove it; yours is `endpoint`.'],
])

/**
 * The faults of a failed parse by dotted field path.
 * An unknown field is reported under its own name; a fault of the whole value under `root`.
 */
export function fieldErrorsOf(error: z.ZodError, root = 'body'): FieldErrors {
  const faults = new Map<string, string[]>()
  const add = (path: readonly PropertyKey[], message: string) => {
    const field = path.length === 0 ? root : path.map(String).join('.')
    faults.set(field, [...(faults.get(field) ?? []), message])
  }
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...issue.path, key], unknownField([...issue.path, key]))
      continue
    }
    add(issue.path, readable(issue))
  }
  return Object.fromEntries(faults)
}

function unknownField(path: readonly PropertyKey[]): string {
  const refused = REFUSED_FIELDS.get(String(path.at(-1))) ?? REFUSED_FIELDS.get(path.slice(-2).map(String).join('.'))
  return refused ?? 'is not a known field. Remove it, or check its spelling.'
}

function readable(issue: z.core.$ZodIssue): string {
  if (!LIBRARY_WORDS.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, / received (\w+)$/.exec(issue.message)?.[1] ?? '')
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty.'
        : `must have at least ${countOf(issue.minimum, issue.origin)}.`
    case 'too_big':
      return `must have at most ${countOf(issue.maximum, issue.origin)}.`
    case 'invalid_value':
      return oneOf(issue.values.map(String))
    case 'invalid_union':
      return oneOf(Array.from(issue.message.matchAll(/'([^']+)'/g), ([, option = '']) => option))
    default:
      return issue.message
  }
}

// How zod's default messages begin. Messages of our own stay as they are.
const LIBRARY_WORDS = /^(?:Invalid|Too) /

function wrongType(expected: string, received: string): string {
  const name = expected === 'record' ? 'object' : expected
  if (received === 'undefined') return name === 'nonoptional' ? 'is required.' : `is required (${name}).`
  if (received === 'null') return `must not be null (${name}). Leave it out to leave it unset.`
  const type = TYPES.get(expected) ?? expected
  const given = TYPES.get(received)
  return given && given !== type ? `must be ${type}, not ${given}.` : `must be ${type}.`
}

const TYPES = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a JSON object'],
  ['record', 'a JSON object'],
])

function oneOf(values: readonly string[]): string {
  if (values.length === 0) return 'has none of the forms that are accepted here.'
  return `must be ${values.map((value) => `“${value}”`).join(' or ')}.`
}

function countOf(count: number | bigint, origin: string): string {
  if (origin === 'string') return `${count} characters`
  return `${count} ${Number(count) === 1 ? 'entry' : 'entries'}`
}
