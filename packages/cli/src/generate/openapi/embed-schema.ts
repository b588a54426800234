import { isJsonObject, type JsonObject } from '@svc/contract'
import type { ComponentBook } from './component-book.ts'
import { type Draft, draftOf } from './draft.ts'
import { baseWithin, indexReferences, type Place, type ReferenceIndex } from './reference-index.ts'
import { isSubschema, kindOf, type Subschema } from './schema-keywords.ts'
import type { Reference, Schema } from './types.ts'

/** Thrown for a schema that leads out of itself. */
export class OpenReferenceError extends Error {
  override readonly name = 'OpenReferenceError'
}

/**
 * Puts an owner’s schema among the components of a document, in the document’s own dialect, and whatever its references
 * lead to as components beside it. Throws an {@link OpenReferenceError} where a `$ref` leads nowhere.
 */
export function embedSchema(book: ComponentBook, name: string, schema: JsonObject): Reference {
  const index = indexReferences(schema)
  const references = new Map<Subschema, string>()
  const queue: { place: Place; component: string }[] = []

  function refer(place: Place): string {
    const known = references.get(place.schema)
    if (known !== undefined) return known
    const component = book.reserve(place.schema === schema ? name : name + toPascalCase(place.name))
    const reference = `#/components/schemas/${component}`
    references.set(place.schema, reference)
    queue.push({ place, component })
    return reference
  }

  const $ref = refer(index.root)
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { place, component } = next
    book.define(component, translate({ index, draft: draftOf(schema), refer, base: place.base }, place.schema))
  }
  return { $ref }
}

/** `order-status` becomes `OrderStatus`. Empty where there is no letter and no digit in it. */
export function toPascalCase(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? []
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

type Scope = {
  readonly index: ReferenceIndex
  readonly draft: Draft
  /** The address that references are relative to, here. */
  readonly base: string
  refer(place: Place): string
}

// Elsewhere many tools know schemas as objects only.
const MAY_BE_BOOLEAN = new Set(['additionalProperties', 'items', 'unevaluatedItems', 'unevaluatedProperties'])

function translate(scope: Scope, schema: Subschema): Schema {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} }
  const entries = Object.entries(scope.draft.modernize(schema))
  return Object.fromEntries(entries.flatMap(([keyword, value]) => translateKeyword(scope, keyword, value)))
}

// What nobody knows says nothing to a reader, and what is referred to has its own place.
function translateKeyword(scope: Scope, keyword: string, value: unknown): [string, unknown][] {
  if (keyword === '$ref' || keyword === '$dynamicRef') return translateReference(scope, keyword, String(value))
  if (keyword === '$defs' || keyword === 'definitions') return []
  switch (kindOf(keyword)) {
    case 'value':
      return [[keyword, value]]
    case 'schema':
      return [[keyword, typeof value === 'boolean' && MAY_BE_BOOLEAN.has(keyword) ? value : below(scope, value)]]
    case 'list':
      return Array.isArray(value) ? [[keyword, value.map((schema) => below(scope, schema))]] : []
    case 'map':
      return isJsonObject(value) ? [[keyword, belowEach(scope, value)]] : []
    case null:
      return []
  }
}

function below(scope: Scope, schema: unknown): unknown {
  if (!isJsonObject(schema)) return isSubschema(schema) ? translate(scope, schema) : schema
  return translate({ ...scope, base: baseWithin(schema, scope.base) }, schema)
}

function belowEach(scope: Scope, schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, below(scope, schema)]))
}

function translateReference({ index, base, refer }: Scope, keyword: string, reference: string): [string, unknown][] {
  const place = keyword === '$ref' ? index.find(reference, base) : index.findDynamic(reference, base)
  if (place) return [['$ref', refer(place)]]
  // It would depend on the way that led here, which no document can tell: anything is right.
  if (keyword === '$dynamicRef') return []
  throw new OpenReferenceError(`has a $ref that leads out of the schema (${reference}): inline what it refers to.`)
}
