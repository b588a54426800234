import { isJsonObject, type JsonObject } from '@svc/contract'

/** The same JSON with the keys of every object in the order of their code units. Lists keep their order. */
export function sortKeys(object: JsonObject): JsonObject {
  const names = Object.keys(object).sort()
  return Object.fromEntries(names.map((name) => [name, sortWithin(object[name])]))
}

function sortWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortWithin)
  return isJsonObject(value) ? sortKeys(value) : value
}
