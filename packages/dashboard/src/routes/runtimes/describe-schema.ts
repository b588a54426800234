import { isRecord } from '../../api/is-record.ts'

/** One field of a schema, as a reader wants to know it. */
export interface SchemaField {
  /** Dotted, `items[].sku`; empty for the value itself. */
  path: string
  type: string
  isRequired: boolean
  description: string
  /** What else must hold: `at least 1`, `one of “a”, “b”`. */
  rules: readonly string[]
}

type Schema = Readonly<Record<string, unknown>>

const MAX_DEPTH = 8

/** A JSON Schema as a list of fields, in their order, each followed by what is in it. One within itself ends there. */
export function describeSchema(schema: unknown): SchemaField[] {
  if (!isRecord(schema)) return []
  const root = resolve(schema, schema)
  const place: Place = { root: schema, path: '', within: [] }
  if (typeOf(root, place) === 'object' && isRecord(root['properties'])) return members(root, place)
  return field(root, { ...place, isRequired: true })
}

interface Place {
  root: Schema
  path: string
  /** The schemas around this one, outermost first. */
  within: readonly Schema[]
}

function members(schema: Schema, { root, path, within }: Place): SchemaField[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties).flatMap(([name, member]) =>
    field(member, {
      root,
      path: path === '' ? name : `${path}.${name}`,
      within: [...within, schema],
      isRequired: required.includes(name),
    }),
  )
}

function field(given: unknown, place: Place & { isRequired: boolean }): SchemaField[] {
  const { root, path, within, isRequired } = place
  const schema = isRecord(given) ? resolve(given, root) : {}
  const described: SchemaField = {
    path,
    type: typeOf(schema, { root, within: [] }),
    isRequired,
    description: textOf(schema['description']) || textOf(schema['title']),
    rules: rulesOf(schema),
  }
  const items = isRecord(schema['items']) ? resolve(schema['items'], root) : null
  const inside = items ?? schema
  const insidePath = items ? `${path}[]` : path
  if (isPastTelling(inside, within) || !isRecord(inside['properties'])) return [described]
  return [described, ...members(inside, { root, path: insidePath, within })]
}

function isPastTelling(schema: Schema, within: readonly Schema[]): boolean {
  return within.length >= MAX_DEPTH || within.includes(schema)
}

function typeOf(schema: Schema, { root, within }: Pick<Place, 'root' | 'within'>): string {
  if (isPastTelling(schema, within)) return 'anything'
  const typeInside = (inside: unknown) =>
    isRecord(inside) ? typeOf(resolve(inside, root), { root, within: [...within, schema] }) : 'anything'
  const { type } = schema
  if (type === 'array') return `list of ${typeInside(schema['items'])}`
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return type.join(' or ')
  const choices = [schema['anyOf'], schema['oneOf']].find((choice) => Array.isArray(choice))
  if (Array.isArray(choices)) return [...new Set(choices.map(typeInside))].join(' or ')
  if (Array.isArray(schema['enum'])) return 'choice'
  if ('const' in schema) return 'constant'
  return isRecord(schema['properties']) ? 'object' : 'anything'
}

const SENTENCES: readonly (readonly [string, (value: unknown) => string])[] = [
  ['enum', (value) => `one of ${listOf(value)}`],
  ['const', (value) => `always ${quote(value)}`],
  ['format', (value) => `format ${String(value)}`],
  ['minimum', (value) => `at least ${String(value)}`],
  ['exclusiveMinimum', (value) => `above ${String(value)}`],
  ['maximum', (value) => `at most ${String(value)}`],
  ['exclusiveMaximum', (value) => `below ${String(value)}`],
  ['multipleOf', (value) => `a multiple of ${String(value)}`],
  ['minLength', (value) => `${countOf(value, 'character')} or more`],
  ['maxLength', (value) => `${countOf(value, 'character')} or fewer`],
  ['pattern', (value) => `matches ${String(value)}`],
  ['minItems', (value) => `${countOf(value, 'entry', 'entries')} or more`],
  ['maxItems', (value) => `${countOf(value, 'entry', 'entries')} or fewer`],
  ['default', (value) => `otherwise ${quote(value)}`],
]

function rulesOf(schema: Schema): string[] {
  return SENTENCES.flatMap(([keyword, sentence]) => (keyword in schema ? [sentence(schema[keyword])] : []))
}

function resolve(schema: Schema, root: Schema, hops = 0): Schema {
  const reference = schema['$ref']
  if (typeof reference !== 'string' || hops > MAX_DEPTH) return schema
  const [start, ...steps] = reference.split('/')
  if (start !== '#') return schema
  let found: unknown = root
  for (const step of steps) {
    const name = nameIn(step)
    found = isRecord(found) && name !== null ? found[name] : undefined
  }
  return isRecord(found) ? resolve(found, root, hops + 1) : schema
}

/** The name that a step of a reference stands for; null where its escapes are broken. */
function nameIn(step: string): string | null {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}

function countOf(value: unknown, one: string, many = `${one}s`): string {
  return `${String(value)} ${value === 1 ? one : many}`
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.map(quote).join(', ') : quote(value)
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
