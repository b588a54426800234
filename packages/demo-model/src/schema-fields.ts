import { isJsonObject, type JsonObject } from '@svc/contract'
import { RE2JS } from 're2js'
import { splitName, stem } from './words.ts'

/** One parameter of a tool, as far as its schema tells. */
export interface Field {
  name: string
  /** The object that it is a member of; null at the top. */
  parent: Field | null
  stems: readonly string[]
  description: string
  kind: Kind
  isRequired: boolean
  type: unknown
  isList: boolean
  options: readonly unknown[]
  /** Whether a text matches the schema’s pattern. */
  matches(text: string): boolean
}

/** The kinds of fields, in the order of looking: values that their form tells first, free text last. */
export const KINDS = [
  ...(['option', 'flag', 'email', 'date', 'time', 'max', 'min', 'people', 'count'] as const),
  ...(['amount', 'number', 'code', 'person', 'place', 'query', 'name', 'prose', 'object', 'unknown'] as const),
]
export type Kind = (typeof KINDS)[number]

const NUMBER_KINDS: readonly (readonly [Kind, string])[] = [
  ['max', 'max maximum highest under below upto'],
  ['min', 'min minimum lowest above'],
  ['people', 'guests people persons person adults children kids seats party attendees passengers travelers visitors'],
  ['count', 'quantity qty count pieces nights days hours tickets copies'],
  ['code', 'id number no code ref reference'],
  ['amount', 'price total amount budget value subtotal cost sum worth'],
]
const TEXT_KINDS: readonly (readonly [Kind, string])[] = [
  ['email', 'email mail'],
  ['date', 'date day'],
  ['time', 'time'],
  ['query', 'query q search keyword keywords term terms text question phrase'],
  ['code', 'id number no code sku ref reference uuid slug key'],
  ['prose', 'title subject summary description body message comment note notes reason details content feedback'],
  [
    'person',
    'doctor person contact customer assignee user owner attendee guest recipient patient member staff author who',
  ],
  ['place', 'city place location address destination origin town region country'],
]

// Of a number the first kind counts (`numberOfGuests` are people), of a text the last word (an `orderDate` is a date).
function kindOf(words: readonly string[], type: unknown, format: unknown): Kind {
  if (type === 'boolean') return 'flag'
  if (type === 'object' || type === 'array') return 'unknown'
  const has = (names: string, word: string) => names.split(' ').includes(word)
  if (type === 'number' || type === 'integer')
    return NUMBER_KINDS.find(([, names]) => words.some((word) => has(names, word)))?.[0] ?? 'number'
  const kinds = words.flatMap((word) => TEXT_KINDS.find(([, names]) => has(names, word))?.[0] ?? [])
  return KINDS.find((kind) => kind === format) ?? kinds.at(-1) ?? 'name'
}

const MAX_FIELDS = 40
const MAX_DEPTH = 3
const MAX_TEXT = 240

/** The parameters of a schema, each object before its members; none of a schema that cannot be read. */
export function fieldsOf(schema: JsonObject | null): Field[] {
  const root = schema ?? {}
  let left = MAX_FIELDS
  const read = ({ properties, required }: JsonObject, parent: Field | null, depth: number): Field[] => {
    const names = new Set(Array.isArray(required) ? required : [])
    return Object.entries(objectOf(properties)).flatMap(([name, property]) => {
      if (left <= 0) return []
      const own = resolved(root, objectOf(property))
      const field: Field = { ...formOf(root, own, { name, parent }), isRequired: names.has(name) }
      const members = depth < MAX_DEPTH ? read(own, field, depth + 1) : []
      if (members.length > 0) field.kind = 'object'
      else left -= 1
      return [field, ...members]
    })
  }
  return read(resolved(root, root), null, 1)
}

function formOf(root: JsonObject, outer: JsonObject, at: Pick<Field, 'name' | 'parent'>): Omit<Field, 'isRequired'> {
  // The name of a contact is a person’s; any other member is known by its own words.
  const words = splitName(at.name === 'name' ? `${at.parent?.name ?? ''} name` : at.name)
  const isList = typeOf(outer) === 'array'
  const inner = isList ? resolved(root, objectOf(outer['items'])) : outer
  const type = typeOf(inner)
  const options = Array.isArray(inner['enum']) ? inner['enum'].slice(0, 100) : []
  const kind = options.length > 0 ? 'option' : kindOf(words, type, inner['format'])
  const description = textOf(outer['description'] ?? inner['description'])
  const matches = linearMatcher(textOf(inner['pattern']))
  return { ...at, stems: words.map(stem), description, kind, type, isList, options, matches }
}

// The target of a reference within the document, or the first of several alternatives that is not null.
function resolved(root: JsonObject, { $ref, anyOf, oneOf, ...rest }: JsonObject): JsonObject {
  const keys = typeof $ref === 'string' ? $ref.split('/').slice(1, 9) : []
  const member = (at: unknown, key: string) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined)
  const target = keys.length > 0 ? keys.reduce(member, root as unknown) : undefined
  const alternatives = [anyOf, oneOf, target].flat().filter(isJsonObject)
  return { ...alternatives.find((schema) => schema['type'] !== 'null'), ...rest }
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
const typeOf = ({ type }: JsonObject) => (Array.isArray(type) ? type.find((name) => name !== 'null') : type)
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : '')

// On the linear engine: an owner’s pattern must not hold the process. One that the engine cannot run matches everything.
function linearMatcher(pattern: string): (text: string) => boolean {
  try {
    const compiled = pattern === '' ? null : RE2JS.compile(RE2JS.translateRegExp(pattern))
    return (text) => compiled === null || compiled.matcher(text).find()
  } catch {
    return () => true
  }
}
