import { isJsonObject, type JsonObject } from '@svc/contract'
import { type FieldType, type Role, roleOf } from './field-role.ts'
import { linearMatcher } from './linear-matcher.ts'
import { splitName, stem, stemsOf } from './words.ts'

/** One parameter of a tool, as far as its schema tells. */
export interface Field {
  name: string
  stems: readonly string[]
  description: string
  descriptionStems: readonly string[]
  role: Role
  type: FieldType
  /** It is a list of such values. */
  isList: boolean
  required: boolean
  options: readonly unknown[]
  hasPattern: boolean
  /** Whether a text fits the schema's pattern and length. */
  fits(text: string): boolean
  minimum: number
  maximum: number
  /** The parameters of a nested object. */
  fields: readonly Field[]
}

const MAX_FIELDS = 40
const MAX_TEXT = 240
const MAX_DEPTH = 3
const MAX_REFERENCES = 8

/** The parameters of a schema that this model can make something of; none of a schema that it cannot read. */
export function fieldsOf(schema: JsonObject | null): Field[] {
  return schema === null ? [] : fieldsAt({ root: schema, depth: 0 }, schema)
}

interface Place {
  root: JsonObject
  depth: number
}

function fieldsAt(place: Place, schema: JsonObject): Field[] {
  const { properties, required } = resolve(place, schema)
  if (!isJsonObject(properties) || place.depth > MAX_DEPTH) return []
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .flatMap(([name, property]) =>
      isJsonObject(property) ? [fieldOf(place, property, { name, required: names.has(name) })] : [],
    )
}

function fieldOf(place: Place, property: JsonObject, head: { name: string; required: boolean }): Field {
  const outer = resolve(place, property)
  const isList = typeOf(outer) === 'array'
  const schema = isList && isJsonObject(outer['items']) ? resolve(place, outer['items']) : outer
  const description = textAt(outer, 'description') || textAt(schema, 'description') || textAt(outer, 'title')
  const words = splitName(head.name)
  const type = fieldType(schema)
  const options = optionsOf(schema)
  const format = textAt(schema, 'format')
  return {
    ...head,
    stems: words.map(stem),
    description,
    descriptionStems: stemsOf(description),
    role: roleOf({ words, description, type, format, hasOptions: options.length > 0 }),
    type,
    isList,
    options,
    hasPattern: patternOf(schema) !== '',
    fits: fitterOf(schema),
    minimum: numberAt(schema, 'minimum') ?? Number.NEGATIVE_INFINITY,
    maximum: numberAt(schema, 'maximum') ?? Number.POSITIVE_INFINITY,
    fields: type === 'object' ? fieldsAt({ ...place, depth: place.depth + 1 }, schema) : [],
  }
}

// References within the document, the first of several alternatives that is not null, and the parts of an allOf.
function resolve(place: Place, start: JsonObject): JsonObject {
  let schema = start
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const next = referenced(place.root, schema) ?? alternative(schema)
    if (next === null) break
    const { $ref, anyOf, oneOf, ...rest } = schema
    schema = { ...next, ...rest }
  }
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'].slice(0, MAX_REFERENCES).filter(isJsonObject) : []
  return Object.assign({}, schema, ...parts)
}

function referenced(root: JsonObject, schema: JsonObject): JsonObject | null {
  const reference = schema['$ref']
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return null
  let at: unknown = root
  for (const key of reference.slice(2).split('/').slice(0, MAX_REFERENCES)) {
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return isJsonObject(at) ? at : null
}

function alternative(schema: JsonObject): JsonObject | null {
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(alternatives)) return null
  return alternatives.filter(isJsonObject).find((candidate) => candidate['type'] !== 'null') ?? null
}

function typeOf(schema: JsonObject): unknown {
  const { type } = schema
  return Array.isArray(type) ? type.find((name) => name !== 'null') : type
}

const TYPES: readonly FieldType[] = ['string', 'number', 'integer', 'boolean', 'object']

function fieldType(schema: JsonObject): FieldType {
  const type = typeOf(schema)
  return TYPES.find((known) => known === type) ?? 'unknown'
}

function optionsOf(schema: JsonObject): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].slice(0, 100)
  return Object.hasOwn(schema, 'const') ? [schema['const']] : []
}

function fitterOf(schema: JsonObject): (text: string) => boolean {
  const matches = linearMatcher(patternOf(schema))
  const min = numberAt(schema, 'minLength') ?? 0
  const max = numberAt(schema, 'maxLength') ?? Number.POSITIVE_INFINITY
  return (text) => text.length >= min && text.length <= max && matches(text)
}

function patternOf({ pattern }: JsonObject): string {
  return typeof pattern === 'string' ? pattern : ''
}

function textAt(schema: JsonObject, key: string): string {
  const value = schema[key]
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : ''
}

function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key]
  return typeof value === 'number' ? value : undefined
}
