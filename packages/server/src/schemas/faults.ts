import type { FieldErrors } from '@svc/contract'
import type { ErrorObject } from 'ajv'

// Choices within choices can fail in a million ways; the first ones tell what to mend.
const MAX_FAULTS = 20

/** What a validator found, in words, by dotted path below `root`: the first faults, each told once. */
export function schemaFaults(errors: readonly ErrorObject[], root: string): FieldErrors {
  const faults = new Map<string, Set<string>>()
  for (const error of errors.slice(0, MAX_FAULTS)) {
    const [sentence, ...name] = told(error)
    const steps = error.instancePath.split('/').slice(1)
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    const field = [root, ...path, ...name].join('.')
    faults.set(field, (faults.get(field) ?? new Set()).add(sentence))
  }
  return Object.fromEntries(Array.from(faults, ([field, sentences]) => [field, [...sentences]]))
}

/** A fault as a sentence, and the name below its place that it is about, where there is one. */
function told({ keyword, params, message }: ErrorObject): [sentence: string, name?: string] {
  if (keyword === 'required') return ['is required.', params['missingProperty']]
  if (keyword === 'additionalProperties') return ['is not a known field.', params['additionalProperty']]
  return [keyword === 'enum' ? `must be one of ${JSON.stringify(params['allowedValues'])}.` : `${message}.`]
}
