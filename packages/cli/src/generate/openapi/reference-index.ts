import { isJsonObject, type JsonObject } from '@svc/contract'
import { isSubschema, type Subschema, subschemasOf } from './schema-keywords.ts'

/** A place in an owner’s schema. */
export type Place = {
  readonly schema: Subschema
  /** The address that references in it are relative to. */
  readonly base: string
  /** Its name, where the schema gives one. */
  readonly name: string
}

/** Finds what the references of one schema lead to. Nothing outside of the schema is ever looked at. */
export type ReferenceIndex = {
  readonly root: Place
  /** What a `$ref` leads to, or null where it leads nowhere. */
  find(reference: string, base: string): Place | null
  /** What a `$dynamicRef` leads to; null where it leads nowhere, or where it depends on the way that led there. */
  findDynamic(reference: string, base: string): Place | null
}

// An address for schemas that give themselves none. It is never fetched.
const NAMELESS = 'https://schema.invalid/'

export function indexReferences(schema: JsonObject): ReferenceIndex {
  const { resources, anchors, dynamic } = gather(schema)
  const root = { schema, base: baseWithin(schema, NAMELESS), name: '' }
  resources.set(NAMELESS, root)
  resources.set(root.base, root)

  function find(reference: string, base: string): Place | null {
    const [resource = '', fragment = ''] = resolve(reference, base)?.split('#', 2) ?? []
    const start = resources.get(resource)
    if (!start || fragment === '') return start ?? null
    return fragment.startsWith('/') ? follow(start, fragment) : (anchors.get(`${resource}#${decode(fragment)}`) ?? null)
  }

  function findDynamic(reference: string, base: string): Place | null {
    const places = dynamic.get(reference.slice(reference.indexOf('#') + 1)) ?? []
    if (places.length === 0) return find(reference, base)
    // The outermost one counts, and the root is outside of all others.
    const outermost = places.find((place) => place.base === root.base)
    return outermost ?? (places.length === 1 ? (places[0] ?? null) : null)
  }

  return { root, find, findDynamic }
}

/** The address that references right in a schema are relative to: its own where it has one. */
export function baseWithin({ $id }: JsonObject, base: string): string {
  if (typeof $id !== 'string') return base
  return resolve($id, base)?.split('#', 1)[0] ?? base
}

function gather(schema: JsonObject) {
  const resources = new Map<string, Place>()
  const anchors = new Map<string, Place>()
  const dynamic = new Map<string, Place[]>()
  function note(node: JsonObject, outer: string): void {
    const base = baseWithin(node, outer)
    if (base !== outer) resources.set(base, { schema: node, base, name: fileOf(base) })
    for (const name of anchorsOf(node)) anchors.set(`${base}#${name}`, { schema: node, base, name })
    const { $dynamicAnchor: name } = node
    if (typeof name === 'string') dynamic.set(name, [...(dynamic.get(name) ?? []), { schema: node, base, name }])
    for (const child of subschemasOf(node)) note(child, base)
  }
  note(schema, NAMELESS)
  return { resources, anchors, dynamic }
}

// In draft-07 an anchor is an $id that is a fragment.
function anchorsOf({ $id, $anchor, $dynamicAnchor }: JsonObject): string[] {
  const fragment = typeof $id === 'string' ? $id.split('#', 2)[1] : undefined
  return [fragment, $anchor, $dynamicAnchor].filter((anchor) => typeof anchor === 'string').filter(Boolean)
}

/** `https://example.com/schemas/product.json` is about a product. */
function fileOf(address: string): string {
  const last = address.split(/[/:]/).findLast((part) => part !== '') ?? ''
  return last.replace(/(?:\.schema)?\.json$/, '')
}

function follow(start: Place, pointer: string): Place | null {
  const names = pointer.slice(1).split('/').map(unescapePart)
  let { base } = start
  let node: unknown = start.schema
  for (const name of names) {
    node = memberOf(node, name)
    if (isJsonObject(node)) base = baseWithin(node, base)
  }
  return isSubschema(node) ? { schema: node, base, name: names.at(-1) ?? '' } : null
}

function memberOf(node: unknown, name: string): unknown {
  if (Array.isArray(node)) return /^\d+$/.test(name) ? node[Number(name)] : undefined
  return isJsonObject(node) && Object.hasOwn(node, name) ? node[name] : undefined
}

function unescapePart(part: string): string {
  return decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function resolve(reference: string, base: string): string | null {
  try {
    return new URL(reference, base).href
  } catch {
    return null
  }
}
