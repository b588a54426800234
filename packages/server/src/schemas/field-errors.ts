import type { FieldErrors } from '@svc/contract'
import type { ErrorObject } from 'ajv'

// Nested choices can fail in a million ways.
const MAX_ERRORS = 20

/** The first errors of a validator as sentences, by dotted path below `root`. */
export function fieldErrors(errors: readonly ErrorObject[], root: string): FieldErrors {
  const fields = new Map<string, Set<string>>()
  for (const error of errors.slice(0, MAX_ERRORS)) {
    const [sentence, ...name] = sentenceOf(error)
    const steps = error.instancePath.split('/').slice(1)
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    const field = [root, ...path, ...name].join('.')
    fields.set(field, (fields.get(field) ?? new Set()).add(sentence))
  }
  return Object.fromEntries(Array.from(fields, ([field, sentences]) => [field, [...sentences]]))
}

/** An error as a sentence, and the name of the field below its path that it is about, if any. */
function sentenceOf({ keyword, params, message }: ErrorObject): [sentence: string, name?: string] {
  if (keyword === 'required') return ['is required.', params['missingProperty']]
  if (keyword === 'additionalProperties') return ['is not a known field.', params['additionalProperty']]
  return [keyword === 'enum' ? `must be one of ${JSON.stringify(params['allowedValues'])}.` : `${message}.`]
}
