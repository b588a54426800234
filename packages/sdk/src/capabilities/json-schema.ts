/**
 * A plain JSON Schema (2020-12, or draft-07 where `$schema` says so). Written in place inside `defineCapability`, or
 * elsewhere `as const`, it gives its handler types: see {@link FromJsonSchema}.
 */
export interface JsonSchema {
  readonly type?: JsonTypeName | (string & {}) | readonly (JsonTypeName | (string & {}))[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: JsonSchema | boolean }
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema | boolean | readonly (JsonSchema | boolean)[]
  readonly prefixItems?: readonly (JsonSchema | boolean)[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly (JsonSchema | boolean)[]
  readonly oneOf?: readonly (JsonSchema | boolean)[]
  readonly allOf?: readonly (JsonSchema | boolean)[]
  readonly $ref?: string
  readonly $defs?: { readonly [name: string]: JsonSchema | boolean }
  // What tells a plain schema from a Standard Schema, which is an object with this key.
  readonly '~standard'?: undefined
  readonly [keyword: string]: unknown
}

type JsonTypeName = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
