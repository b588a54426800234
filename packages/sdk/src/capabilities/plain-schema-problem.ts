import { isJsonObject } from '@svc/contract'
import { isOfLibrary } from './standard-schema.ts'

/**
 * Why a plain object is no JSON Schema although it can be read as one, as the end of a sentence that begins with the place:
 * a misspelt keyword, fields without an object around them, or a library’s schema inside. Null where nothing is.
 */
export function plainSchemaProblem(place: string, schema: Record<string, unknown>): string | null {
  return foreignValue(place, schema) ?? wordlessSchema(place, schema)
}

// Deeper ones, and those that hold themselves, are told by the check that is made of the schema.
const MAX_DEPTH = 100

function foreignValue(place: string, value: unknown, depth = 0): string | null {
  if (isOfLibrary(value)) return `${place} is a schema of a library inside a plain object. ${wrapping(value)}`
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return null
  if (typeof value === 'number' && Number.isFinite(value)) return null
  if (!Array.isArray(value) && !isPlainObject(value)) return `${place} holds something that is no JSON.`
  if (depth === MAX_DEPTH) return null
  return firstOf(Object.entries(value), ([name, member]) => foreignValue(`${place}.${name}`, member, depth + 1))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Those of another realm, such as a configuration’s sandbox, have a prototype of their own, which has none.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const WRAPPERS = new Map([
  ['zod', 'z.object({ … })'],
  ['valibot', 'toStandardJsonSchema(v.object({ … }))'],
  ['arktype', 'type({ … })'],
])

function wrapping(value: { readonly '~standard': { readonly vendor?: unknown } }): string {
  const wrapper = WRAPPERS.get(String(value['~standard'].vendor))
  return `Make the whole a schema of that library${wrapper ? `: ${wrapper}` : ''}.`
}

function wordlessSchema(place: string, schema: unknown, depth = 0): string | null {
  if (typeof schema === 'boolean' || depth === MAX_DEPTH) return null
  if (!isJsonObject(schema)) return `${place} must be a schema, such as { type: 'string' }.`
  const said = Object.entries(schema).filter(([, value]) => value !== undefined)
  if (said.length > 0 && !said.some(([word]) => isKeyword(word))) {
    const words = said.map(([word]) => `“${word}”`).join(', ')
    return (
      `${place} has no keyword of JSON Schema, only ${words}. ` +
      "An object is described as { type: 'object', properties: { … } }."
    )
  }
  return firstOf(said, ([word, value]) => wordlessBelow(`${place}.${word}`, word, value, depth + 1))
}

function wordlessBelow(place: string, word: string, value: unknown, depth: number): string | null {
  const isList = LISTS.has(word) || (word === 'items' && Array.isArray(value))
  if (!isList && !MAPS.has(word)) return SINGLE.has(word) ? wordlessSchema(place, value, depth) : null
  if (isList ? !Array.isArray(value) : !isJsonObject(value)) {
    return `${place} must be ${isList ? 'a list of schemas' : 'an object of schemas by name'}.`
  }
  return firstOf(Object.entries(Object(value)), ([name, each]) => wordlessSchema(`${place}.${name}`, each, depth))
}

function firstOf<Item>(items: readonly Item[], problemOf: (item: Item) => string | null): string | null {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== null) return problem
  }
  return null
}

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SINGLE = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties', 'unevaluatedProperties'],
  ...['propertyNames', 'not', 'if', 'then', 'else'],
])
const OTHERS = new Set([
  ...['$schema', '$id', '$anchor', '$ref', '$dynamicRef', '$dynamicAnchor', '$comment', '$vocabulary', 'id'],
  ...['type', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'required', 'dependentRequired'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'dependencies'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly', 'nullable'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema'],
])

// Words of one’s own begin with “x-”.
function isKeyword(word: string): boolean {
  return word.startsWith('x-') || [MAPS, LISTS, SINGLE, OTHERS].some((words) => words.has(word))
}
