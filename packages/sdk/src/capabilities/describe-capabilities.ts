import type { Capability, JsonObject } from '@svc/contract'
import { CapabilityDefinitionError } from '../errors.ts'
import { type CapabilitySchema, describesItself, isStandardSchema } from './capability-schema.ts'
import type { AnyCapability } from './define-capability.ts'
import type { Runtime } from './define-runtime.ts'
import type { StandardSchemaV1 } from './standard-schema.ts'

const TARGET = { target: 'draft-2020-12' } as const

/**
 * A runtime’s capabilities as a deployment publishes them, schemas as JSON Schema (2020-12). A plain JSON Schema is
 * published as it was written. Permissions are not published.
 * Throws one {@link CapabilityDefinitionError} with a line for every schema that JSON Schema cannot express.
 */
export function describeCapabilities(runtime: Runtime): Capability[] {
  const problems: string[] = []
  const described = runtime.capabilities.map((capability) => {
    const inputSchema = attempt(problems, () => inputSchemaOf(capability))
    const outputSchema = attempt(problems, () => schemaOf(capability, 'output'))
    return describe(capability, { ...(inputSchema && { inputSchema }), ...(outputSchema && { outputSchema }) })
  })
  if (problems.length > 0) throw new CapabilityDefinitionError(problems.join('\n'))
  return described
}

function describe(
  capability: AnyCapability,
  schemas: { inputSchema?: JsonObject; outputSchema?: JsonObject },
): Capability {
  const { name, version, description = '', requiresEndUser = false } = capability
  const { deprecated, deprecatedSince, removalNotBefore, effect, confirm, preview } = capability
  return {
    name,
    version,
    description,
    requiresEndUser,
    actions: Object.keys(schemas).length > 0 ? [{ name, ...schemas }] : [],
    ...(deprecated !== undefined && { deprecated }),
    ...(deprecatedSince !== undefined && { deprecatedSince }),
    ...(removalNotBefore !== undefined && { removalNotBefore }),
    ...(effect !== undefined && { effect }),
    ...(confirm && { confirm }),
    ...(preview !== undefined && { preview: true }),
  }
}

function attempt<T>(problems: string[], make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    problems.push(messageOf(error))
    return undefined
  }
}

function inputSchemaOf(capability: AnyCapability): JsonObject | undefined {
  const schema = schemaOf(capability, 'input')
  const { type } = schema ?? {}
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return schema
  throw new CapabilityDefinitionError(
    `Capability “${capability.name}”: its input schema describes ${JSON.stringify(type)}, but input is always an object. ` +
      'Make it an object with one property.',
  )
}

function schemaOf(capability: AnyCapability, side: 'input' | 'output'): JsonObject | undefined {
  const schema: CapabilitySchema | undefined = capability[side]
  if (schema === undefined) return undefined
  if (!isStandardSchema(schema)) return schema
  return convert(schema, { side, place: `Capability “${capability.name}”: its ${side} schema` })
}

function convert(schema: StandardSchemaV1, where: { side: 'input' | 'output'; place: string }): JsonObject {
  const { vendor } = schema['~standard']
  if (!describesItself(schema)) {
    throw new CapabilityDefinitionError(
      `${where.place} (${vendor}) does not say how it reads as JSON Schema. zod does from 4.2 on; a valibot schema does ` +
        'inside toStandardJsonSchema() of @valibot/to-json-schema; a plain JSON Schema always works.',
    )
  }
  try {
    return schema['~standard'].jsonSchema[where.side](TARGET)
  } catch (error) {
    throw new CapabilityDefinitionError(
      `${where.place} (${vendor}) cannot be expressed as JSON Schema: ${messageOf(error)}. ${wayOut(where.side)}`,
      { cause: error },
    )
  }
}

function wayOut(side: 'input' | 'output'): string {
  const advice =
    'JSON has no dates, maps, big integers or transforms: describe the JSON form, such as z.iso.datetime() for z.date(),'
  return side === 'input' ? `${advice} and convert inside the handler.` : `${advice} and convert before returning.`
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}
