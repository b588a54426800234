import type { FieldErrors } from '@svc/contract'
import { type CapabilitySchema, isStandardSchema } from '../capabilities/capability-schema.ts'
import { schemaCheck } from '../capabilities/schema-check.ts'
import type { StandardIssue } from '../capabilities/standard-schema.ts'

/** A value as its schema made it, or its faults in one line of words, without the value. */
export type ValueVerdict =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly faults: string }

const MAX_FAULTS = 10

/**
 * Holds a value against a schema. A Standard Schema may transform it; a plain JSON Schema leaves it as it is.
 * Rejects where the schema itself does.
 */
export async function validateValue(schema: CapabilitySchema | undefined, value: unknown): Promise<ValueVerdict> {
  if (schema === undefined) return { ok: true, value }
  if (!isStandardSchema(schema)) {
    const faults = inOneLine(schemaCheck(schema)(value))
    return faults ? { ok: false, faults } : { ok: true, value }
  }
  const result = await schema['~standard'].validate(value)
  return result.issues ? { ok: false, faults: readable(result.issues) } : { ok: true, value: result.value }
}

function inOneLine(faults: FieldErrors): string {
  return Object.entries(faults)
    .flatMap(([field, sentences]) => sentences.map((sentence) => `${field || 'it'} ${sentence}`))
    .join(' ')
}

function readable(issues: readonly StandardIssue[]): string {
  const lines = issues.slice(0, MAX_FAULTS).map((issue) => {
    const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return path ? `${path}: ${issue.message}` : issue.message
  })
  const omitted = issues.length - lines.length
  return omitted > 0 ? `${lines.join('; ')}; and ${omitted} more` : lines.join('; ')
}
