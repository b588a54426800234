import type { FieldErrors, JsonObject } from '@svc/contract'
import { resolveReferences } from '@svc/contract/resolve-references'
import { compileAlone, validateSchema } from './dialects.ts'
import { schemaFaults } from './faults.ts'
import { linearRegExp } from './linear-reg-exp.ts'
import { weightProblem } from './rules.ts'

/** Checks a value against a schema. Returns its faults by dotted path below `root`, or null when it fits. */
export type SchemaCheck = (value: unknown, root: string) => FieldErrors | null

/**
 * Why a schema that somebody else wrote is refused, or null: it is JSON Schema 2020-12, or draft-07 where `$schema` says so,
 * references lead nowhere else, and patterns run in linear time. It may take long: for a thread that can be stopped.
 */
export function schemaProblem(schema: JsonObject): string | null {
  if (schema['$async'] !== undefined) return 'must not use $async.'
  try {
    validateSchema(schema)
    const resolved = resolveReferences(schema)
    // Ajv compiles no pattern whose names may hold anything.
    JSON.stringify(resolved, (name, value) => {
      if (name === 'patternProperties') for (const pattern of Object.keys(Object(value))) linearRegExp(pattern)
      return value
    })
    const problem = weightProblem(resolved)
    // A schema that leads back to itself compiles, but no check against it need ever end.
    if (problem === null) compileAlone(resolved)({})
    return problem
  } catch (error) {
    return problemOf(error)
  }
}

/** Compiles a schema that was deployed. One that does not compile any more leaves inputs unchecked. */
export function compileDeployed(schema: JsonObject): SchemaCheck {
  try {
    const validate = compileAlone(resolveReferences(schema))
    return (value, root) => {
      try {
        return validate(value) ? null : schemaFaults(validate.errors ?? [], root)
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
