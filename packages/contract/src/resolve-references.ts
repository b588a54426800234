import { isJsonObject, type JsonObject } from './json.ts'
import { mapSchemas, type Place, type Resource, schemaPlaces } from './schema-places.ts'

const NAMES = new Set(['$anchor', '$dynamicAnchor', '$id', '$recursiveAnchor', '$recursiveRef', '$defs', 'definitions'])
// A schema is copied once for each way that dynamic references can lead to it.
const MAX_COPIES = 50_000

/** Whether a schema is one of draft-07, and not of 2020-12. */
export function isDraft07({ $schema }: JsonObject): boolean {
  return typeof $schema === 'string' && /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test($schema)
}

const OWN_NAMES = ['$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor']

/**
 * The same schema for another place of a document, where its references by pointer lead below `place`. One with names of its
 * own, or of an earlier draft, is null: it only means the same as a document of its own.
 */
export function moveReferences(schema: JsonObject, place: string): JsonObject | null {
  let isMovable = !isDraft07(schema)
  const move = (below: unknown): unknown => {
    if (!isJsonObject(below)) return below
    if (OWN_NAMES.some((name) => typeof below[name] === 'string')) isMovable = false
    const moved = mapSchemas(below, move).map(([keyword, value]) => {
      const isPointer = keyword === '$ref' || keyword === '$dynamicRef'
      return [keyword, isPointer && typeof value === 'string' ? value.replace(/^#/, () => place) : value]
    })
    return Object.fromEntries(moved)
  }
  const { $schema: _dialect, ...keywords } = schema
  const moved = move(keywords)
  return isMovable && isJsonObject(moved) ? moved : null
}

/** The place of each `$dynamicAnchor` in the outermost resource on the way, where there are several of the name. */
type Scope = ReadonlyMap<string, Place>

/**
 * The same schema without names of its own: every `$ref` and `$dynamicRef` becomes a `$ref` to `#/$defs/<number>`, and
 * there are no other definitions. Throws a `TypeError` that ends a sentence where a reference leads out of the schema.
 */
export function resolveReferences(schema: JsonObject): JsonObject {
  const isEarlier = isDraft07(schema)
  const { root, resources, resourceOf, find } = schemaPlaces(schema, isEarlier)
  const repeated = repeatedDynamicAnchors([...resources.values()])
  const definitions: (Place & { scope: Scope })[] = []
  const numbers = new Map<string, number>()
  const ids = new Map<unknown, number>()
  let copies = 0

  function idOf(each: unknown): number {
    if (!ids.has(each)) ids.set(each, ids.size)
    return ids.get(each) ?? 0
  }

  function referTo(place: Place | undefined, reference: unknown, scope: Scope): JsonObject {
    if (place === undefined) {
      throw new TypeError(`has a $ref that leads out of the schema (${reference}): write what it means under $defs.`)
    }
    const ways = Array.from(scope, ([name, { schema: target }]) => `${name} ${idOf(target)}`).sort()
    const key = [idOf(place.schema), ...ways].join()
    const number = numbers.get(key) ?? definitions.push({ ...place, scope }) - 1
    numbers.set(key, number)
    return { $ref: `#/$defs/${number}` }
  }

  function copy(below: unknown, outer: Resource, outerScope: Scope): unknown {
    if (!isJsonObject(below)) return below
    copies += 1
    if (copies > MAX_COPIES) throw new TypeError('takes too long to check: make it smaller, with fewer references.')
    const resource = resourceOf(below, outer)
    const scope = enter(resource, outerScope, repeated)
    const { $ref, $dynamicRef, ...rest } = below
    const targetOf = (reference: unknown) => (typeof reference === 'string' ? find(reference, resource) : undefined)
    const referred = $ref === undefined ? {} : referTo(targetOf($ref), $ref, scope)
    if (isEarlier && $ref !== undefined) return referred
    const members = mapSchemas(rest, (each) => copy(each, resource, scope)).filter(([keyword]) => !NAMES.has(keyword))
    const copied: JsonObject = { ...Object.fromEntries(members), ...referred }
    if ($dynamicRef === undefined || isEarlier) return copied
    const first = targetOf($dynamicRef)
    const dynamic = referTo(first && outermost(first, String($dynamicRef), scope), $dynamicRef, scope)
    const { allOf } = copied
    return { ...copied, allOf: [...(Array.isArray(allOf) ? allOf : []), dynamic] }
  }

  const resolved = copy(root.schema, root.resource, new Map())
  // Copying one may add more.
  const $defs: Record<string, unknown> = {}
  for (const [number, { schema: target, resource, scope }] of definitions.entries()) {
    $defs[number] = copy(target, resource, scope)
  }
  return { ...Object(resolved), ...(definitions.length > 0 && { $defs }) }
}

function repeatedDynamicAnchors(resources: readonly Resource[]): ReadonlySet<string> {
  const names = resources.flatMap((resource) => dynamicAnchors(resource).map(([name]) => name))
  return new Set(names.filter((name, at) => names.indexOf(name) < at))
}

function dynamicAnchors({ anchors }: Resource): [string, JsonObject][] {
  return Array.from(anchors).filter(([name, { $dynamicAnchor }]) => name === $dynamicAnchor)
}

function enter(resource: Resource, scope: Scope, repeated: ReadonlySet<string>): Scope {
  if (repeated.size === 0) return scope
  const own = dynamicAnchors(resource).filter(([name]) => repeated.has(name) && !scope.has(name))
  return new Map([...scope, ...own.map(([name, schema]) => [name, { schema, resource }] as const)])
}

/** A dynamic reference leads on where it first leads to a dynamic anchor of its name. */
function outermost(first: Place, reference: string, scope: Scope): Place {
  const name = reference.slice(reference.indexOf('#') + 1)
  const isDynamic = isJsonObject(first.schema) && first.schema['$dynamicAnchor'] === name
  return (isDynamic && scope.get(name)) || first
}
