import { isDeepStrictEqual } from 'node:util'
import * as contract from '@svc/contract'
import { type ZodType, z } from 'zod'
import { isZod } from '../typed.ts'
import { EXAMPLES } from './examples.ts'
import type { Operation } from './operations.ts'

export type JsonSchema = Record<string, unknown>

type Side = 'input' | 'output'

export type SchemaBook = ReturnType<typeof createSchemaBook>

const PREFIX = '#/components/schemas/'

/** The zod schemas of these operations as JSON Schema. Schemas that the contract exports are components of that name. */
export function createSchemaBook(operations: readonly Operation[]) {
  const registry = z.registry<{ id: string }>()
  const local = operations.flatMap(({ schema: { params, querystring, headers, body, events }, answers }) =>
    [params, querystring, headers, body, events, ...Object.values(answers)].filter(isZod),
  )
  for (const [id, schema] of Object.entries(contract)) if (isZod(schema)) registry.add(schema, { id })
  for (const [index, schema] of local.entries()) {
    if (!registry.has(schema)) registry.add(schema, { id: `local-${index}` })
  }
  const convert = (io: Side): Record<string, JsonSchema> =>
    z.toJSONSchema(registry, { io, uri: (id) => PREFIX + id, unrepresentable: 'any', override: relax }).schemas
  const converted = { input: convert('input'), output: convert('output') }
  const components: Record<string, JsonSchema> = {}

  /** A reference where the schema is a component, the schema itself otherwise. */
  function describe(schema: ZodType, side: Side): JsonSchema {
    return describeId(registry.get(schema)?.id ?? '', side)
  }

  // Where input and output of a schema differ, the one that is described first gets the plain name.
  function describeId(id: string, side: Side): JsonSchema {
    const { $id: _id, $schema: _dialect, ...raw } = converted[side][id] ?? {}
    const refer = (reference: string) => describeId(reference.slice(PREFIX.length), side)['$ref']
    const revive = (key: string, value: unknown) => (key === '$ref' ? refer(String(value)) : withExample(key, value))
    const schema: JsonSchema = JSON.parse(JSON.stringify({ [id]: raw }), revive)[id]
    if (id.startsWith('local-')) return schema
    const name = isDeepStrictEqual(components[id] ?? schema, schema) ? id : `${id}Input`
    components[name] = schema
    return { $ref: PREFIX + name }
  }

  return { describe, components }
}

function withExample(name: string, schema: unknown): unknown {
  const example = EXAMPLES[name]
  if (example === undefined || !contract.isJsonObject(schema)) return schema
  const kind = Array.isArray(example) ? 'array' : typeof example
  const { $ref, type = kind } = schema
  // An example beside a $ref is for objects: components that are text have their own.
  const isFitting = $ref === undefined ? [type].flat().includes(kind) : kind === 'object'
  return isFitting ? { ...schema, examples: [example] } : schema
}

const relax: NonNullable<z.core.RegistryToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod
  // Answers may gain fields: a closed schema would break generated clients when they do.
  if (def.type === 'object' && !('catchall' in def && def.catchall)) delete jsonSchema.additionalProperties
  // Zod writes these bounds for every integer.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  // Zod leaves out the default of an input that is transformed.
  const { default: preset } = z.globalRegistry.get(zodSchema) ?? {}
  if (preset !== undefined) Object.assign(jsonSchema, { default: preset })
}
