import type { FieldErrors, JsonObject } from '@svc/contract'
import { undeployableProblem } from '@svc/contract/unsupported-schema'
import { compileAlone, isDraft07, validateSchema } from './dialects.ts'
import { schemaFaults } from './faults.ts'
import { weigh, weightProblem } from './rules.ts'

/** Checks a value against a schema. Returns its faults by dotted path below `root`, or null when it fits. */
export type SchemaCheck = (value: unknown, root: string) => FieldErrors | null

export type CompiledSchema = { ok: true; check: SchemaCheck } | { ok: false; problem: string }

/**
 * Judges and compiles a schema that somebody else wrote: JSON Schema 2020-12, or draft-07 where `$schema` says so.
 * References leave the schema nowhere, and patterns run in linear time. It may take long: for a thread that can be stopped.
 */
export function compileSchema(schema: JsonObject): CompiledSchema {
  if (schema['$async'] !== undefined) return { ok: false, problem: 'must not use $async.' }
  const problem = weightProblem(weigh(schema))
  if (problem !== null) return { ok: false, problem }
  try {
    validateSchema(schema)
    const unsupported = undeployableProblem(schema, isDraft07(schema))
    if (unsupported !== null) return { ok: false, problem: unsupported }
    const validate = compileAlone(schema)
    // A schema that leads back to itself compiles, but no check against it need ever end.
    validate({})
    return { ok: true, check: toCheck(validate) }
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

/** Compiles a schema that {@link compileSchema} took when it was deployed. One that fails now leaves inputs unchecked. */
export function compileDeployed(schema: JsonObject): SchemaCheck {
  try {
    return toCheck(compileAlone(schema))
  } catch {
    return (_value, root) => notChecked(root)
  }
}

/** The message for an input whose check did not end, or could not begin. */
export function notChecked(root: string): FieldErrors {
  return {
    [root]: ['cannot be checked: its schema refers to itself without end, takes too long, or does not compile.'],
  }
}

function toCheck(validate: ReturnType<typeof compileAlone>): SchemaCheck {
  return (value, root) => {
    try {
      return validate(value) ? null : schemaFaults(validate.errors ?? [], root)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return notChecked(root)
    }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deeply, or refers to itself without end.'
  const message = error instanceof Error ? error.message : String(error)
  const reference = /can't resolve reference (\S+)/.exec(message)
  if (reference) return `has a $ref that leads out of the schema (${reference[1]}): inline what it refers to.`
  const unknown = /no schema with key or ref "([^"]+)"/.exec(message)
  if (unknown) return `names a $schema that is not supported (${unknown[1]}): use 2020-12 or draft-07.`
  return `is not valid JSON Schema: ${message}`
}
