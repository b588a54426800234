import type { z } from 'zod'
import type { FieldErrors } from './errors.ts'

// Fields that earlier versions had. They are refused aloud, because dropping them would look like obeying them.
const REFUSED_FIELDS = new Map([
  ['provider', 'is not accepted: every execution runs on the service’s own model credential. Remove it.'],
  ['model', 'is not accepted: the service chooses the model, so that tokens can be metered. Remove it.'],
  ['tier', 'is not accepted: the tier follows from the account’s plan, never from a request. Remove it.'],
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
      for (const key of issue.keys) add([...issue.path, key], unknownField(key))
      continue
    }
    add(issue.path, readable(issue))
  }
  return Object.fromEntries(faults)
}

function unknownField(key: string): string {
  return REFUSED_FIELDS.get(key) ?? 'is not a known field. Remove it, or check its spelling.'
}

function readable(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return issue.expected === 'nonoptional' ? 'is required.' : `is required (${issue.expected}).`
  }
  if (issue.code === 'invalid_type' && issue.message.endsWith('received null')) {
    return `must not be null (${issue.expected}). Leave it out to leave it unset.`
  }
  return issue.message
}
