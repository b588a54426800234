import { isJsonObject } from '@svc/contract'
import { plainSchemaProblem } from './plain-schema-problem.ts'
import { schemaCheck } from './schema-check.ts'

/** The faults of a value given as a schema, as ends of sentences about the capability. */
export function schemaProblems(side: 'input' | 'output', schema: unknown): string[] {
  if (schema === undefined) return []
  const advice = `${side} must be a schema (zod, valibot, arktype, …) or a plain JSON Schema object.`
  const isLibrarys = (typeof schema === 'function' || isJsonObject(schema)) && '~standard' in schema
  if (isLibrarys && schema['~standard'] !== undefined) {
    return canValidate(schema['~standard']) ? [] : [`${side} is a Standard Schema that cannot validate. ${advice}`]
  }
  return isJsonObject(schema) ? plainSchemaProblems(side, schema) : [advice]
}

function canValidate(standard: unknown): boolean {
  return isJsonObject(standard) && typeof standard['validate'] === 'function'
}

function plainSchemaProblems(side: 'input' | 'output', schema: Record<string, unknown>): string[] {
  const problem = plainSchemaProblem(side, schema)
  if (problem) return [problem]
  try {
    schemaCheck(schema)
    return []
  } catch (error) {
    return [`${side}: ${error instanceof Error ? error.message : String(error)}`]
  }
}
