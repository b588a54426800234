import type { JsonObject } from '@svc/contract'

/**
 * A plain JSON Schema (2020-12, or draft-07 where `$schema` says so). Written in place inside `defineCapability`,
 * its handler’s types follow from `type`, `properties`, `required`, `items`, `enum` and `const`.
 */
export interface JsonSchema {
  readonly type?: JsonTypeName | (string & {}) | readonly (JsonTypeName | (string & {}))[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: JsonSchema | boolean }
  readonly required?: readonly string[]
  readonly items?: JsonSchema | boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly additionalProperties?: JsonSchema | boolean
  // What tells a plain schema from a Standard Schema, which is an object with this key.
  readonly '~standard'?: undefined
  readonly [keyword: string]: unknown
}

type JsonTypeName = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'

/** The type of the values that a plain JSON Schema describes; `unknown` where the schema says too little. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: readonly (infer Name)[] }
      ? FromTypeName<Schema, Name>
      : Schema extends { readonly type: infer Name }
        ? FromTypeName<Schema, Name>
        : Schema extends false
          ? never
          : unknown

// A schema read from a file has `type: string`, which says nothing at compile time.
type FromTypeName<Schema, Name> = Name extends string
  ? string extends Name
    ? unknown
    : FromOne<Schema, Name>
  : unknown

type FromOne<Schema, Name extends string> = Name extends keyof Scalars
  ? Scalars[Name]
  : Name extends 'array'
    ? FromArray<Schema>
    : Name extends 'object'
      ? FromObject<Schema>
      : unknown

interface Scalars {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

type FromArray<Schema> = Schema extends { readonly items: infer Items } ? FromJsonSchema<Items>[] : unknown[]

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Key in keyof Properties as Key extends RequiredOf<Schema> ? Key : never]: FromJsonSchema<
          Properties[Key]
        >
      } & {
        -readonly [Key in keyof Properties as Key extends RequiredOf<Schema> ? never : Key]?:
          | FromJsonSchema<Properties[Key]>
          | undefined
      }
    >
  : Schema extends { readonly additionalProperties: infer Values extends JsonSchema }
    ? Record<string, FromJsonSchema<Values>>
    : JsonObject

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never

type Flat<Type> = { [Key in keyof Type]: Type[Key] }
