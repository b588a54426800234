import type { JsonObject, ReservedOutput } from '@svc/contract'
import type { FromJsonSchema } from './from-json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import type { InferInput, InferOutput, StandardJsonSchemaV1, StandardSchemaV1 } from './standard-schema.ts'

/** What describes a capability’s input or output: a schema of any Standard Schema library, or a plain JSON Schema. */
export type CapabilitySchema = StandardSchemaV1 | JsonSchema

/** What a handler is given: the validated value of a Standard Schema, or the type that a JSON Schema describes. */
export type HandlerInput<Schema> = Schema extends StandardSchemaV1
  ? InferOutput<Schema>
  : unknown extends FromJsonSchema<Schema>
    ? JsonObject
    : FromJsonSchema<Schema>

/**
 * A value that a handler may return: anything where there is no output schema, else what the schema accepts, with the reserved key
 * `svc` beside it, which the schema does not see.
 */
export type HandlerOutput<Schema> = WithReserved<
  Schema extends StandardSchemaV1 ? InferInput<Schema> : FromJsonSchema<Schema>
>

type WithReserved<Output> = Output extends readonly unknown[]
  ? Output
  : Output extends object
    ? 'svc' extends keyof Output
      ? Output
      : Output & { readonly svc?: ReservedOutput }
    : Output

/**
 * What a schema must also be: anything, but no plain object of a library’s schemas, `{ city: z.string() }`, which reads as
 * a JSON Schema with keywords of its own.
 */
export type NoShape<Schema> = Schema extends StandardSchemaV1
  ? unknown
  : { readonly [Key in keyof Schema]: Schema[Key] extends StandardSchemaV1 ? WrapAdvice : unknown }

type WrapAdvice = 'A schema inside a plain object: wrap the whole object, as in z.object({ … }).'

/** True for a schema of a Standard Schema library; false for a plain JSON Schema. */
export function isStandardSchema(schema: CapabilitySchema): schema is StandardSchemaV1 {
  return '~standard' in schema && typeof schema['~standard'] === 'object'
}

/** True where the library can also write the schema as JSON Schema. */
export function describesItself(schema: StandardSchemaV1): schema is StandardSchemaV1 & StandardJsonSchemaV1 {
  const standard: object = schema['~standard']
  return 'jsonSchema' in standard && typeof standard.jsonSchema === 'object' && standard.jsonSchema !== null
}
