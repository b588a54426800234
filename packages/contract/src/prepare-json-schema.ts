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

/** How a copy is made. `onStep` is called whenever the validator tries the schema or one inside it. */
export interface Preparation {
  readonly draft: SchemaDraft
  onStep(): void
}

/**
 * A copy of a schema for the validator to write its marks into, in which nothing but the owner’s own patterns takes more
 * than linear time for one step. Throws a `TypeError` for what the validator would trip over at a call.
 */
export function prepareJsonSchema(schema: JsonObject, preparation: Preparation): JsonObject {
  const { uniqueItems, format, ...rest } = schema
  refuseUnknownTypes(schema['type'])
  if (typeof schema['pattern'] === 'string') refuseBrokenPattern(schema['pattern'])
  const copy = Object.fromEntries(
    Object.entries(rest).flatMap(([keyword, value]) => prepared(keyword, value, preparation)),
  )
  const instead = [...(uniqueItems === true ? [fewUniqueItems()] : []), ...(format === 'url' ? [anyUrl()] : [])]
  if (format !== undefined && format !== 'url') copy['format'] = format
  if (instead.length > 0) copy['allOf'] = [...(Array.isArray(copy['allOf']) ? copy['allOf'] : []), ...instead]
  // The validator has no hook, but it reads this keyword of every schema that it tries.
  Object.defineProperty(copy, '$recursiveAnchor', { get: () => preparation.onStep(), enumerable: false })
  return copy
}

function prepared(keyword: string, value: unknown, preparation: Preparation): [string, unknown][] {
  if (value === undefined || IGNORED.has(keyword)) return []
  if (preparation.draft === '7' && LATER.has(keyword)) return []
  if (VALUES.has(keyword)) return [[keyword, value]]
  // The validator takes false for an absent branch.
  if ((keyword === 'then' || keyword === 'else') && value === false) return [[keyword, { not: {} }]]
  if (!MAPS.has(keyword) || !isJsonObject(value)) return [[keyword, anyPrepared(value, preparation)]]
  if (keyword === 'patternProperties') Object.keys(value).forEach(refuseBrokenPattern)
  const members = keyword === 'properties' ? tagsFirst(Object.entries(value)) : Object.entries(value)
  return [[keyword, Object.fromEntries(members.map(([name, each]) => [name, anyPrepared(each, preparation)]))]]
}

// What tells one alternative from another is looked at before what they hold: the wrong ones end there.
function tagsFirst(members: readonly [string, unknown][]): [string, unknown][] {
  const isTag = (each: unknown) => isJsonObject(each) && ('const' in each || 'enum' in each)
  return [...members.filter(([, each]) => isTag(each)), ...members.filter(([, each]) => !isTag(each))]
}

function anyPrepared(value: unknown, preparation: Preparation): unknown {
  if (Array.isArray(value)) return value.map((each) => anyPrepared(each, preparation))
  return isJsonObject(value) ? prepareJsonSchema(value, preparation) : value
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
