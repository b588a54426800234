import { isJsonObject, type JsonObject } from './json.ts'

// Keywords that hold schemas: one, a list of them, or some by name. What another keyword holds is a value.
const HOLDERS = new Set([
  ...['additionalItems', 'additionalProperties', 'allOf', 'anyOf', 'contains', 'contentSchema', 'else', 'if', 'items'],
  ...['not', 'oneOf', 'prefixItems', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
])
const MAPS = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'])
// Of a schema without an address, so that relative ones resolve.
const NO_ADDRESS = 'schema:/'

/** A schema with an `$id` of its own, or the root. */
export interface Resource {
  readonly address: string
  readonly root: JsonObject
  readonly anchors: Map<string, JsonObject>
}

/** A schema, and the resource that it is a part of. */
export interface Place {
  readonly schema: JsonObject | boolean
  readonly resource: Resource
}

export interface SchemaPlaces {
  readonly root: Place
  readonly resources: ReadonlyMap<string, Resource>
  /** The resource of a schema; `outer` of a value that no keyword holds as one. */
  resourceOf(schema: JsonObject, outer: Resource): Resource
  /** The place that a reference in this resource leads to; undefined where it leads out of the schema. */
  find(reference: string, from: Resource): Place | undefined
}

/** The keywords of a schema, each schema right below it replaced. */
export function mapSchemas(schema: JsonObject, map: (below: unknown) => unknown): [string, unknown][] {
  return Object.entries(schema).map(([keyword, value]) => {
    if (MAPS.has(keyword) && isJsonObject(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)]))]
    }
    if (!HOLDERS.has(keyword)) return [keyword, value]
    return [keyword, Array.isArray(value) ? value.map(map) : map(value)]
  })
}

/** Finds the places of a schema by address, anchor and pointer. Throws a `TypeError` where two have the same name. */
export function schemaPlaces(schema: JsonObject, isDraft07: boolean): SchemaPlaces {
  const resources = new Map<string, Resource>()
  const resourceBySchema = new Map<unknown, Resource>()

  function addResource(address: string, root: JsonObject): Resource {
    if (resources.has(address)) throw new TypeError(`has the $id “${address}” twice: rename one.`)
    const resource = { address, root, anchors: new Map<string, JsonObject>() }
    resources.set(address, resource)
    return resource
  }

  function addNames(below: unknown, outer?: Resource): void {
    if (!isJsonObject(below)) return
    const { address, anchors } = namesOf(below, isDraft07)
    const isNamed = address !== '' || outer === undefined
    const resource = isNamed ? addResource(absolute(address, outer), below) : outer
    resourceBySchema.set(below, resource)
    for (const anchor of anchors) {
      if (resource.anchors.has(anchor)) throw new TypeError(`has the anchor “${anchor}” twice: rename one.`)
      resource.anchors.set(anchor, below)
    }
    mapSchemas(below, (each) => addNames(each, resource))
  }

  function follow(pointer: string, from: Resource): Place | undefined {
    let [at, resource]: [unknown, Resource] = [from.root, from]
    for (const step of pointer.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      at = Object.getOwnPropertyDescriptor(Object(at), name)?.value
      resource = resourceBySchema.get(at) ?? resource
    }
    return isJsonObject(at) || typeof at === 'boolean' ? { schema: at, resource } : undefined
  }

  addNames(schema)
  const resourceOf: SchemaPlaces['resourceOf'] = (each, outer) => resourceBySchema.get(each) ?? outer
  return {
    root: { schema, resource: resourceBySchema.get(schema) ?? addResource(NO_ADDRESS, schema) },
    resources,
    resourceOf,
    find(reference, from) {
      const [address = '', encoded = ''] = reference.split('#')
      const resource = address === '' ? from : resources.get(absolute(address, from))
      const fragment = decoded(encoded)
      if (resource === undefined || fragment === null) return undefined
      if (fragment === '' || fragment.startsWith('/')) return follow(fragment, resource)
      const anchored = resource.anchors.get(fragment)
      return anchored && { schema: anchored, resource }
    },
  }
}

function namesOf(schema: JsonObject, isDraft07: boolean): { address: string; anchors: Set<string> } {
  // In draft-07 the keywords beside a reference mean nothing.
  const { $id, $anchor, $dynamicAnchor } = isDraft07 && typeof schema['$ref'] === 'string' ? {} : schema
  const [address = '', fragment = ''] = typeof $id === 'string' ? $id.split('#') : []
  const anchors = isDraft07 ? [fragment] : [$anchor, $dynamicAnchor]
  return { address, anchors: new Set(anchors.filter((each) => typeof each === 'string' && each !== '').map(String)) }
}

function absolute(address: string, from?: Resource): string {
  const base = from?.address ?? NO_ADDRESS
  return URL.canParse(address, base) ? new URL(address, base).href : address
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return null
  }
}
