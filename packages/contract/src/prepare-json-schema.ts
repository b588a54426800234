import type { SchemaDraft } from '@cfworker/json-schema'
import { isJsonObject, type JsonObject } from './json.ts'

// They hold examples, which would be read as schemas.
const IGNORED = new Set(['default', 'example', 'examples'])
// Of 2020-12: in draft-07 they mean nothing.
const LATER = new Set([
  ...['prefixItems', 'minContains', 'maxContains', 'dependentRequired', 'dependentSchemas'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
])
const VALUES = new Set(['const', 'enum', 'required', 'dependentRequired'])
const MAPS = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas', 'dependencies'])
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const MAX_UNIQUE_ITEMS = 1_000

/** What `format: 'url'` becomes. */
export const URL_PATTERN = '^(?:[hH][tT][tT][pP][sS]?|[fF][tT][pP])://[^\\s\\/]\\S*$'

/**
 * A copy of a schema for the validator to write its marks into, in which nothing takes more than linear time but the
 * owner’s own patterns. Throws a `TypeError` for what the validator would trip over at a call.
 */
export function prepareJsonSchema(schema: JsonObject, draft: SchemaDraft): JsonObject {
  const { uniqueItems, format, ...rest } = schema
  refuseUnknownTypes(schema['type'])
  if (typeof schema['pattern'] === 'string') refuseBrokenPattern(schema['pattern'])
  const copy = Object.fromEntries(Object.entries(rest).flatMap(([keyword, value]) => prepared(keyword, value, draft)))
  const instead = [...(uniqueItems === true ? [fewUniqueItems()] : []), ...(format === 'url' ? [anyUrl()] : [])]
  if (format !== undefined && format !== 'url') copy['format'] = format
  if (instead.length > 0) copy['allOf'] = [...(Array.isArray(copy['allOf']) ? copy['allOf'] : []), ...instead]
  return copy
}

function prepared(keyword: string, value: unknown, draft: SchemaDraft): [string, unknown][] {
  if (value === undefined || IGNORED.has(keyword)) return []
  if (draft === '7' && LATER.has(keyword)) return []
  if (VALUES.has(keyword)) return [[keyword, value]]
  if (!MAPS.has(keyword) || !isJsonObject(value)) return [[keyword, anyPrepared(value, draft)]]
  if (keyword === 'patternProperties') Object.keys(value).forEach(refuseBrokenPattern)
  return [[keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, anyPrepared(each, draft)]))]]
}

function anyPrepared(value: unknown, draft: SchemaDraft): unknown {
  if (Array.isArray(value)) return value.map((each) => anyPrepared(each, draft))
  return isJsonObject(value) ? prepareJsonSchema(value, draft) : value
}

// The library compares every item with every other.
function fewUniqueItems(): JsonObject {
  return { maxItems: MAX_UNIQUE_ITEMS, if: { minItems: MAX_UNIQUE_ITEMS + 1 }, else: { uniqueItems: true } }
}

// The library’s own pattern for it takes time in the square of the text.
function anyUrl(): JsonObject {
  return { pattern: URL_PATTERN }
}

function refuseUnknownTypes(type: unknown): void {
  if (isJsonObject(type)) return
  const unknown = [type ?? []].flat().find((name) => !TYPES.includes(String(name)))
  if (unknown === undefined) return
  throw new TypeError(`The schema has the type ${JSON.stringify(unknown)}: there are ${TYPES.join(', ')}.`)
}

function refuseBrokenPattern(pattern: string): void {
  try {
    new RegExp(pattern, 'u')
  } catch {
    throw new TypeError(`The schema has the pattern ${JSON.stringify(pattern)}, which is no regular expression.`)
  }
}
