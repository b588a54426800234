import type { JsonObject } from '@svc/contract'
import type { AnyCapability } from '../capabilities/define-capability.ts'
import type { FromJsonSchema } from '../capabilities/from-json-schema.ts'
import type { InferInput, InferOutput, StandardSchemaV1 } from '../capabilities/standard-schema.ts'

/** What a caller may send to a capability: the schema’s side before defaults and transforms. */
export type CallInput<Capability extends AnyCapability> = InputOf<NonNullable<Capability['input']>>

/** What a caller gets of a capability: the output as it reads after JSON; `unknown` without an output schema. */
export type CallOutput<Capability extends AnyCapability> = OutputOf<NonNullable<Capability['output']>>

type InputOf<Schema> = [Schema] extends [never]
  ? JsonObject
  : Schema extends StandardSchemaV1
    ? InferInput<Schema>
    : unknown extends FromJsonSchema<Schema>
      ? JsonObject
      : FromJsonSchema<Schema>

type OutputOf<Schema> = [Schema] extends [never]
  ? unknown
  : Schema extends StandardSchemaV1
    ? AsJson<InferOutput<Schema>>
    : FromJsonSchema<Schema>

/** The type of a value after `JSON.stringify` and `JSON.parse`: a `Date` is a string, a method is gone. */
export type AsJson<Value> = unknown extends Value
  ? unknown
  : Value extends { toJSON(): infer Json }
    ? AsJson<Json>
    : Value extends string | number | boolean | null
      ? Value
      : Value extends Unwritten
        ? never
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: AsItem<Value[Index]> }
          : { [Key in keyof Value as Value[Key] extends Unwritten ? never : Key]: AsJson<Value[Key]> }

// In a list, what cannot be written is null: the others keep their places.
type AsItem<Value> = AsJson<Value> | ([Extract<Value, Unwritten>] extends [never] ? never : null)

type Unwritten = undefined | symbol | bigint | ((...parameters: never) => unknown)
