import type { FieldErrors, JsonObject } from '@svc/contract'
import { resolveReferences } from '@svc/contract/resolve-references'
import { compileAlone, validateSchema } from './dialects.ts'
import { fieldErrors } from './field-errors.ts'
import { linearRegExp } from './linear-reg-exp.ts'
import { weightProblem } from './rules.ts'

/** Checks a value against a schema. Returns errors by dotted path below `root`, or null when it is valid. */
export type SchemaCheck = (value: unknown, root: string) => FieldErrors | null

/**
 * Why an owner's schema is refused, or null. It must be JSON Schema 2020-12, or draft-07 where `$schema` says so, with local
 * references and patterns of linear time. May take long: for a thread that can be stopped.
 */
export function schemaProblem(schema: JsonObject): string | null {
  if (schema['$async'] !== undefined) return 'must not use $async.'
  try {
    validateSchema(schema)
    const resolved = resolveReferences(schema)
    // Ajv does not compile a pattern whose members may be anything.
    JSON.stringify(resolved, (name, value) => {
      if (name === 'patternProperties') for (const pattern of Object.keys(Object(value))) linearRegExp(pattern)
      return value
    })
    const problem = weightProblem(resolved)
    // A schema that refers to itself compiles, but a check may never end.
    if (problem === null) compileAlone(resolved)({})
    return problem
  } catch (error) {
    return problemOf(error)
  }
}

/** Compiles a deployed schema. Inputs are refused as unchecked where it no longer compiles. */
export function compileDeployed(schema: JsonObject): SchemaCheck {
  try {
    const validate = compileAlone(resolveReferences(schema))
    return (value, root) => {
      try {
        return validate(value) ? null : fieldErrors(validate.errors ?? [], root)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        return notChecked(root)
      }
    }
  } catch {
    return (_value, root) => notChecked(root)
  }
}

export function notChecked(root: string): FieldErrors {
  const message = 'cannot be checked: its schema refers to itself without end, takes too long, or does not compile.'
  return { [root]: [message] }
}

function problemOf(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deeply, or refers to itself without end.'
  const message = error instanceof Error ? error.message : String(error)
  const unknown = /no schema with key or ref "([^"]+)"/.exec(message)
  if (unknown) return `names a $schema that is not supported (${unknown[1]}): use 2020-12 or draft-07.`
  return error instanceof TypeError ? message : `is not valid JSON Schema: ${message}`
}
