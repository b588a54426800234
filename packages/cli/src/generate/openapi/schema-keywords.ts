import { isJsonObject, type JsonObject } from '@svc/contract'

/** A JSON Schema as it was written: an object, or true or false. */
export type Subschema = JsonObject | boolean

/** How a keyword holds further schemas, or that what it holds are plain values; null is for one that nobody knows. */
export type KeywordKind = 'schema' | 'list' | 'map' | 'value' | null

const KINDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...of('schema', 'additionalItems additionalProperties contains contentSchema else if items not propertyNames then'),
  ...of('schema', 'unevaluatedItems unevaluatedProperties'),
  ...of('list', 'allOf anyOf oneOf prefixItems'),
  ...of('map', '$defs definitions dependencies dependentSchemas patternProperties properties'),
  ...of('value', 'const dependentRequired enum format pattern required type uniqueItems multipleOf'),
  ...of('value', 'exclusiveMaximum exclusiveMinimum maximum minimum maxLength minLength maxItems minItems'),
  ...of('value', 'maxContains minContains maxProperties minProperties contentEncoding contentMediaType'),
  ...of('value', '$comment default deprecated description examples readOnly title writeOnly'),
])

export function kindOf(keyword: string): KeywordKind {
  return KINDS.get(keyword) ?? null
}

export function isSubschema(value: unknown): value is Subschema {
  return typeof value === 'boolean' || isJsonObject(value)
}

/** The schemas right below one. What stands in values, of `enum` and `const` above all, is no schema. */
export function subschemasOf(schema: JsonObject): JsonObject[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const kind = kindOf(keyword)
    if (kind === 'value') return []
    // The items of draft-07 may be a list.
    if (Array.isArray(value)) return kind === null ? [] : value.filter(isJsonObject)
    if (!isJsonObject(value)) return []
    return kind === 'map' ? Object.values(value).filter(isJsonObject) : [value]
  })
}

function of(kind: KeywordKind, keywords: string): [string, KeywordKind][] {
  return keywords.split(' ').map((keyword) => [keyword, kind])
}
