import { type JsonObject, type JsonSchemaCheck, jsonSchemaCheck } from '@svc/contract'

const checks = new WeakMap<JsonObject, JsonSchemaCheck>()

/**
 * The check of a plain JSON Schema, made once for each schema object. A fault of the whole value stands under ''.
 * Throws a `TypeError` for a schema that nothing can be checked against.
 */
export function schemaCheck(schema: JsonObject): JsonSchemaCheck {
  const known = checks.get(schema)
  if (known) return known
  const check = jsonSchemaCheck(schema, '')
  checks.set(schema, check)
  return check
}
