import { isJsonObject, type JsonObject } from '@svc/contract'

/** A dialect of JSON Schema, as the control plane reads it. */
export type Draft = {
  /** One schema, without those below it, with the keywords of 2020-12. */
  modernize(schema: JsonObject): JsonObject
}

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

/** The dialect that a schema names: draft-07, and 2020-12 otherwise. */
export function draftOf({ $schema }: JsonObject): Draft {
  return typeof $schema === 'string' && DRAFT_07.test($schema) ? EARLIER : LATEST
}

const LATEST: Draft = { modernize: (schema) => splitDependencies(withNull(schema)) }

const EARLIER: Draft = {
  modernize(schema) {
    const known = Object.entries(schema).filter(([keyword]) => !UNKNOWN_TO_EARLIER.has(keyword))
    return splitDependencies(withNull(tuples(Object.fromEntries(known))))
  },
}

const UNKNOWN_TO_EARLIER = new Set(
  `prefixItems contentSchema dependentRequired dependentSchemas maxContains minContains unevaluatedItems
  unevaluatedProperties $dynamicRef`.split(/\s+/),
)

// In draft-07 a list of items is what prefixItems is now, and additionalItems what items is then.
function tuples({ items, additionalItems, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(items)) return items === undefined ? schema : { ...schema, items }
  const rest = additionalItems === undefined ? {} : { items: additionalItems }
  return items.length === 0 ? { ...schema, ...rest } : { ...schema, prefixItems: items, ...rest }
}

// The control plane takes dependencies in both dialects, and so does what describes it.
function splitDependencies({ dependencies, ...schema }: JsonObject): JsonObject {
  if (!isJsonObject(dependencies)) return schema
  const entries = Object.entries(dependencies)
  const required = Object.fromEntries(entries.filter(([, needed]) => Array.isArray(needed)))
  const schemas = Object.fromEntries(entries.filter(([, needed]) => !Array.isArray(needed)))
  const isBeside = 'dependentRequired' in schema || 'dependentSchemas' in schema
  const split = { dependentRequired: required, dependentSchemas: schemas }
  if (isBeside) return { ...schema, allOf: [...(Array.isArray(schema['allOf']) ? schema['allOf'] : []), split] }
  return { ...schema, ...split }
}

// The control plane takes nullable: true for “or null”, as OpenAPI 3.0 did.
function withNull({ nullable, ...schema }: JsonObject): JsonObject {
  const { type } = schema
  if (nullable !== true || type === undefined) return schema
  const types = Array.isArray(type) ? type : [type]
  return { ...schema, type: types.includes('null') ? types : [...types, 'null'] }
}
