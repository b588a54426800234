import type { FieldErrors } from '@svc/contract'
import type { ErrorObject } from 'ajv'

// Choices within choices can fail in a million ways; whoever reads of the first ones knows what to mend.
const MAX_FAULTS = 20

/** What a validator found, in words, by dotted path below `root`: the first faults, each told once. */
export function schemaFaults(errors: readonly ErrorObject[], root: string): FieldErrors {
  const faults = new Map<string, Set<string>>()
  for (const error of errors.slice(0, MAX_FAULTS)) {
    const path = pathOf(error, root)
    faults.set(path, (faults.get(path) ?? new Set()).add(sentence(error)))
  }
  return Object.fromEntries(Array.from(faults, ([path, sentences]) => [path, [...sentences]]))
}

function pathOf(fault: ErrorObject, root: string): string {
  const path = fault.instancePath.split('/').slice(1).map(unescapePointer)
  const missing = fault.keyword === 'required' ? [String(fault.params['missingProperty'])] : []
  const extra = fault.keyword === 'additionalProperties' ? [String(fault.params['additionalProperty'])] : []
  return [root, ...path, ...missing, ...extra].join('.')
}

function sentence(fault: ErrorObject): string {
  if (fault.keyword === 'required') return 'is required.'
  if (fault.keyword === 'additionalProperties') return 'is not a known field.'
  if (fault.keyword === 'enum') return `must be one of ${JSON.stringify(fault.params['allowedValues'])}.`
  return `${fault.message ?? 'does not fit the schema'}.`
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}
