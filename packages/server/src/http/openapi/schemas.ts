import { isDeepStrictEqual } from 'node:util'
import * as contract from '@svc/contract'
import { type ZodType, z } from 'zod'
import { EXAMPLES } from './examples.ts'

/** A JSON Schema of dialect 2020-12, or a reference to one of the document’s components. */
export type JsonSchema = Record<string, unknown>

/** Which side of a schema is meant: what may be sent, or what is answered. Defaults make them differ. */
type Side = 'input' | 'output'

export type SchemaBook = ReturnType<typeof createSchemaBook>

const PREFIX = '#/components/schemas/'

/** The zod schemas of an API as JSON Schema. Those that the contract exports are components under their own names. */
export function createSchemaBook({ sent, answered }: Record<'sent' | 'answered', readonly ZodType[]>) {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(contract)) if (schema instanceof z.ZodType) registry.add(schema, { id })
  for (const [index, schema] of [...sent, ...answered].entries()) {
    if (!registry.has(schema)) registry.add(schema, { id: `local-${index}` })
  }
  const converted = { input: convert(registry, 'input'), output: convert(registry, 'output') }
  const components: Record<string, JsonSchema> = {}
  // A component whose sides differ is named after what is answered, so the answers come first.
  for (const schema of answered) describe(schema, 'output')

  /** One of the schemas above: a reference where it is a component, the schema itself otherwise. */
  function describe(schema: ZodType, side: Side): JsonSchema {
    const id = registry.get(schema)?.id ?? ''
    return id.startsWith('local-') ? resolve(id, side) : { $ref: PREFIX + define(id, side) }
  }

  function define(id: string, side: Side): string {
    const schema = resolve(id, side)
    const name = isDeepStrictEqual(components[id] ?? schema, schema) ? id : `${id}Input`
    components[name] = schema
    return name
  }

  function resolve(id: string, side: Side): JsonSchema {
    const { $id: _id, $schema: _dialect, ...schema } = converted[side][id] ?? {}
    const text = JSON.stringify({ [id]: schema })
    const refer = (reference: string) => PREFIX + define(reference.slice(PREFIX.length), side)
    return JSON.parse(text, (key, value) => (key === '$ref' ? refer(value) : withExample(key, value)))[id]
  }

  return { describe, components }
}

function convert(registry: z.core.$ZodRegistry<{ id: string }>, io: Side): Record<string, JsonSchema> {
  const uri = (id: string) => PREFIX + id
  return z.toJSONSchema(registry, { io, uri, unrepresentable: 'any', override: describeAsWritten }).schemas
}

function withExample(name: string, schema: unknown): unknown {
  const example = EXAMPLES[name]
  if (example === undefined || !contract.isJsonObject(schema)) return schema
  const kind = Array.isArray(example) ? 'array' : typeof example
  const { $ref, type = kind } = schema
  // A component for text has an example of its own.
  const isFitting = $ref === undefined ? [type].flat().includes(kind) : kind === 'object'
  return isFitting ? { ...schema, examples: [example] } : schema
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
  for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key]
  Object.assign(jsonSchema, wire)
}
