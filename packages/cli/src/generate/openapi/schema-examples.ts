import { isJsonObject, type JsonObject, jsonSchemaCheck } from '@svc/contract'

const MAX_EXAMPLES = 3

/** Values that a schema itself gives as examples, or one that follows from its properties. All of them fit it. */
export function examplesOf(schema: JsonObject): unknown[] {
  const { examples } = schema
  const given = Array.isArray(examples) ? examples.filter((value) => fits(schema, value)) : []
  return given.length > 0 ? given.slice(0, MAX_EXAMPLES) : composed(schema).filter((value) => fits(schema, value))
}

/** True where a value fits a schema; false, too, where nobody can tell. */
export function fits(schema: JsonObject, value: unknown): boolean {
  try {
    return Object.keys(jsonSchemaCheck(schema)(value)).length === 0
  } catch {
    return false
  }
}

// One object, of the properties that say what they may be. It is none where a property that must be there does not.
function composed({ properties }: JsonObject): JsonObject[] {
  if (!isJsonObject(properties)) return []
  const members = Object.entries(properties).flatMap(([name, schema]) =>
    valuesOf(schema)
      .slice(0, 1)
      .map((value): [string, unknown] => [name, value]),
  )
  return members.length > 0 ? [Object.fromEntries(members)] : []
}

function valuesOf(schema: unknown): unknown[] {
  if (!isJsonObject(schema)) return []
  const { examples, enum: choices } = schema
  const single = ['default', 'const'].filter((keyword) => keyword in schema).map((keyword) => schema[keyword])
  return [...(Array.isArray(examples) ? examples : []), ...single, ...(Array.isArray(choices) ? choices : [])]
}
