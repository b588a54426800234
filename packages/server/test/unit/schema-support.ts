import type { JsonObject } from '@svc/contract'
import { compileDeployed, type SchemaCheck, schemaProblem } from '../../src/schemas/compile.ts'

/** Longer than anything that runs in more than linear time could get through within the time limit of a test. */
export const LONG = 50_000

/** Whether a value fits a schema, as one field of an input. The schema must be one that may be deployed. */
export function fits(schema: JsonObject, value: unknown): boolean {
  return checkOf({ type: 'object', properties: { value: schema } })({ value }) === null
}

/** The check of a schema, which must be one that may be deployed. */
export function checkOf(schema: JsonObject): (value: unknown, root?: string) => ReturnType<SchemaCheck> {
  const problem = schemaProblem(schema)
  if (problem !== null) throw new Error(problem)
  const check = compileDeployed(schema)
  return (value, root = 'input') => check(value, root)
}

/** The schema of an object with these fields. */
export function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}
