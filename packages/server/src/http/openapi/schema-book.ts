import * as contract from '@svc/contract'
import { type ZodType, z } from 'zod'
import { COMPONENT_NOTES } from './component-notes.ts'
import type { JsonSchema } from './types.ts'

/** Which side of a schema is meant: what may be sent in, or what comes out. Defaults make them differ. */
export type Direction = 'input' | 'output'

export interface SchemaUse {
  schema: ZodType
  direction: Direction
}

/** The zod schemas of an API as JSON Schema. Those that the contract exports are components under their own names. */
export interface SchemaBook {
  /** A schema of the uses that the book was made from: a reference where it is a component, the schema itself otherwise. */
  describe(use: SchemaUse): JsonSchema
  /** Every component that those uses lead to. */
  components(): Record<string, JsonSchema>
}

const PREFIX = '#/components/schemas/'

const NAMES = new Map<ZodType, string>()
for (const [name, value] of Object.entries(contract)) {
  if (value instanceof z.ZodType) NAMES.set(value, name)
}

/** The component that a schema is, or null. */
export function componentNameOf(schema: ZodType): string | null {
  return NAMES.get(schema) ?? null
}

/** Converts all schemas that an API uses. */
export function createSchemaBook(uses: readonly SchemaUse[]): SchemaBook {
  const ids = new Map(NAMES)
  for (const { schema } of uses) if (!ids.has(schema)) ids.set(schema, `local-${ids.size}`)
  const converted = { input: convert(ids, 'input'), output: convert(ids, 'output') }
  const idOf = (schema: ZodType) => ids.get(schema) ?? ''
  const reached = reach(
    uses.map(({ schema, direction }) => ({ id: idOf(schema), direction })),
    converted,
  )
  const differing = differingIds(converted)
  const nameOf = (id: string, direction: Direction) =>
    direction === 'input' && differing.has(id) && reached.has(`output ${id}`) ? `${id}Input` : id
  const named = (id: string, direction: Direction) =>
    mapReferences(converted[direction][id] ?? {}, (target) => PREFIX + nameOf(target, direction))
  return {
    describe({ schema, direction }) {
      const id = idOf(schema)
      return NAMES.has(schema) ? { $ref: PREFIX + nameOf(id, direction) } : named(id, direction)
    },
    components() {
      const entries = Array.from(reached.values(), ({ id, direction }): [string, JsonSchema] => [
        nameOf(id, direction),
        { ...named(id, direction), ...COMPONENT_NOTES[id] },
      ])
      const components = entries.filter(([name]) => !name.startsWith('local-'))
      return Object.fromEntries(components.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}

type Converted = Record<string, JsonSchema>

function convert(ids: ReadonlyMap<ZodType, string>, io: Direction): Converted {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => PREFIX + id,
    metadata: z.globalRegistry,
    unrepresentable: 'any',
    override: describeAsWritten,
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _id, $schema: _dialect, ...schema }]) => [id, schema]),
  )
}

type Overridden = Parameters<NonNullable<z.core.RegistryToJSONSchemaParams['override']>>[0]

// Answers may gain fields: a description that closed them would break generated clients when they do.
function describeAsWritten({ zodSchema, jsonSchema }: Overridden): void {
  const { def } = zodSchema._zod
  if (def.type === 'object' && !('catchall' in def && def.catchall)) delete jsonSchema.additionalProperties
  // The bounds of what a number can hold say nothing about the field.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  const wire = z.globalRegistry.get(zodSchema)?.['wire']
  if (typeof wire !== 'object') return
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
  Object.assign(jsonSchema, wire)
}

function reach(roots: readonly { id: string; direction: Direction }[], converted: Record<Direction, Converted>) {
  const reached = new Map<string, { id: string; direction: Direction }>()
  const queue = [...roots]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { id, direction } = next
    const key = `${direction} ${id}`
    if (reached.has(key)) continue
    reached.set(key, next)
    for (const target of referencesOf(converted[direction][id] ?? {})) queue.push({ id: target, direction })
  }
  return reached
}

/** The schemas whose two sides differ, be it only in what they refer to. */
function differingIds({ input, output }: Record<Direction, Converted>): Set<string> {
  const differing = new Set(Object.keys(input).filter((id) => JSON.stringify(input[id]) !== JSON.stringify(output[id])))
  for (let before = -1; before !== differing.size; ) {
    before = differing.size
    for (const [id, schema] of Object.entries(input)) {
      if (referencesOf(schema).some((target) => differing.has(target))) differing.add(id)
    }
  }
  return differing
}

function referencesOf(schema: JsonSchema): string[] {
  const found: string[] = []
  mapReferences(schema, (id) => {
    found.push(id)
    return id
  })
  return found
}

/** A copy of a schema in which the id of every component that is referred to has been mapped to a reference. */
function mapReferences(schema: JsonSchema, map: (id: string) => string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapValue(key, value, map)]))
}

function mapValue(key: string, value: unknown, map: (id: string) => string): unknown {
  if (key === '$ref' && typeof value === 'string') return map(value.slice(PREFIX.length))
  if (Array.isArray(value)) return value.map((item) => mapValue('', item, map))
  return contract.isJsonObject(value) ? mapReferences(value, map) : value
}
