import type { JsonObject } from '@svc/contract'
import { compileSchema, type SchemaCheck } from '../../src/schemas/compile.ts'

/** Longer than anything that runs in more than linear time could get through within the time limit of a test. */
export const LONG = 50_000

/** Whether a value fits a schema, as one field of an input. The schema must be one that may be deployed. */
export function fits(schema: JsonObject, value: unknown): boolean {
  const compiled = compileSchema({ type: 'object', properties: { value: schema } })
  if (!compiled.ok) throw new Error(compiled.problem)
  return compiled.check({ value }, 'input') === null
}

/** The check of a schema that compiles. */
export function checkOf(schema: JsonObject): (value: unknown) => ReturnType<SchemaCheck> {
  const compiled = compileSchema(schema)
  if (!compiled.ok) throw new Error(compiled.problem)
  return (value) => compiled.check(value, 'input')
}

/** Why a schema does not compile; null where it does. */
export function problemOf(schema: JsonObject): string | null {
  const compiled = compileSchema(schema)
  return compiled.ok ? null : compiled.problem
}

/** The schema of an object with these fields. */
export function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}
