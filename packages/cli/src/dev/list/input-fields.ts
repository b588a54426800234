import { isJsonObject, type JsonObject } from '@svc/contract'

/** A field of an input: `address.city?` where it may be left out, its type in words, what the schema says of it. */
export type InputField = { readonly path: string; readonly type: string; readonly description: string }

const MAX_DEPTH = 4
const MAX_OPTIONS = 8

/** The fields that an input schema names, fields of fields after the field that holds them. */
export function inputFields(schema: JsonObject): InputField[] {
  return fieldsOf({ root: schema, schema: resolved(schema, schema), prefix: '', depth: 0 })
}

type Place = { readonly root: JsonObject; readonly schema: JsonObject; readonly prefix: string; readonly depth: number }

function fieldsOf({ root, schema, prefix, depth }: Place): InputField[] {
  const { properties, required } = schema
  if (!isJsonObject(properties) || depth >= MAX_DEPTH) return []
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = isJsonObject(value) ? resolved(root, value) : {}
    const path = `${prefix}${name}`
    const description = typeof field['description'] === 'string' ? field['description'].replace(/\s+/g, ' ') : ''
    const own = { path: isRequired(name) ? path : `${path}?`, type: typeOf(root, field), description }
    return [own, ...fieldsOf({ root, schema: field, prefix: `${path}.`, depth: depth + 1 })]
  })
}

function typeOf(root: JsonObject, schema: JsonObject, depth = 0): string {
  if (depth > MAX_DEPTH) return 'any'
  if ('const' in schema) return JSON.stringify(schema['const'])
  const { enum: values, type, items } = schema
  if (Array.isArray(values)) return oneOf(values.map((value) => JSON.stringify(value)))
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) {
    return oneOf(
      choices.map((choice) => (isJsonObject(choice) ? typeOf(root, resolved(root, choice), depth + 1) : 'any')),
    )
  }
  if (type === 'array' && isJsonObject(items)) {
    const item = typeOf(root, resolved(root, items), depth + 1)
    return item.includes(' ') ? `(${item})[]` : `${item}[]`
  }
  if (Array.isArray(type)) return oneOf(type.map(String))
  return typeof type === 'string' ? type : 'any'
}

function oneOf(options: readonly string[]): string {
  const shown = options.slice(0, MAX_OPTIONS)
  return [...shown, ...(options.length > shown.length ? [`${options.length - shown.length} more`] : [])].join(' | ')
}

// `#/$defs/Address`, which schema libraries write for what is used twice.
function resolved(root: JsonObject, schema: JsonObject): JsonObject {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema
  let found: unknown = root
  for (const step of $ref.slice(2).split('/')) {
    found = isJsonObject(found) ? found[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  return isJsonObject(found) && !('$ref' in found) ? { ...found, ...schema } : schema
}
