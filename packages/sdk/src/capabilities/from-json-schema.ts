import type { JsonObject } from '@svc/contract'

/**
 * The type of the values that a plain JSON Schema describes; `unknown` where the schema says too little. It follows from
 * `type`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `enum`, `const`, `anyOf`, `oneOf`,
 * `allOf` and a `$ref` to `#`, `$defs` or `definitions`; a reference inside what it refers to gives `unknown`. `properties`
 * without a `type` reads as an object.
 * @example
 * const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const
 * type Order = FromJsonSchema<typeof schema> // { id: string }
 */
export type FromJsonSchema<Schema> = From<Schema, Schema, never>

// `Root` is where references begin, `Seen` the references that led here.
type From<Schema, Root, Seen> = Schema extends false
  ? never
  : Both<Both<Alone<Schema, Root, Seen>, OneOf<Schema, Root, Seen>>, AllOf<Schema, Root, Seen>>

type Alone<Schema, Root, Seen> = Schema extends { readonly $ref: infer Reference }
  ? Both<Referred<Reference, Root, Seen>, Plain<Schema, Root, Seen>>
  : Plain<Schema, Root, Seen>

type Plain<Schema, Root, Seen> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: readonly (infer Name)[] }
      ? FromTypeName<Name, Schema, Root, Seen>
      : Schema extends { readonly type: infer Name }
        ? FromTypeName<Name, Schema, Root, Seen>
        : Schema extends { readonly properties: object }
          ? FromObject<Schema, Root, Seen>
          : unknown

type OneOf<Schema, Root, Seen> = Schema extends { readonly anyOf: infer Options }
  ? Both<Union<Options, Root, Seen>, Schema extends { readonly oneOf: infer More } ? Union<More, Root, Seen> : unknown>
  : Schema extends { readonly oneOf: infer Options }
    ? Union<Options, Root, Seen>
    : unknown

type Union<Options, Root, Seen> = Options extends readonly [infer First, ...infer Rest]
  ? From<First, Root, Seen> | (Rest extends readonly [] ? never : Union<Rest, Root, Seen>)
  : unknown

type AllOf<Schema, Root, Seen> = Schema extends { readonly allOf: infer Parts }
  ? Intersection<Parts, Root, Seen>
  : unknown

type Intersection<Parts, Root, Seen> = Parts extends readonly [infer First, ...infer Rest]
  ? Both<From<First, Root, Seen>, Intersection<Rest, Root, Seen>>
  : unknown

type Referred<Reference, Root, Seen> = Reference extends Seen
  ? unknown
  : Reference extends '#'
    ? From<Root, Root, Seen | Reference>
    : Reference extends `#/$defs/${infer Name}`
      ? Root extends { readonly $defs: { readonly [Key in Name]: infer Schema } }
        ? From<Schema, Root, Seen | Reference>
        : unknown
      : Reference extends `#/definitions/${infer Name}`
        ? Root extends { readonly definitions: { readonly [Key in Name]: infer Schema } }
          ? From<Schema, Root, Seen | Reference>
          : unknown
        : unknown

// A schema read from a file has `type: string`, which says nothing at compile time.
type FromTypeName<Name, Schema, Root, Seen> = Name extends string
  ? string extends Name
    ? unknown
    : Name extends keyof Scalars
      ? Scalars[Name]
      : Name extends 'array'
        ? FromArray<Schema, Root, Seen>
        : Name extends 'object'
          ? FromObject<Schema, Root, Seen>
          : unknown
  : unknown

interface Scalars {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

type FromArray<Schema, Root, Seen> = Schema extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? Tuple<Items, Rest<Schema, 'items', Root, Seen>, LeastItems<Schema>, Root, Seen>
  : Schema extends { readonly items: infer Items extends readonly unknown[] }
    ? Tuple<Items, Rest<Schema, 'additionalItems', Root, Seen>, LeastItems<Schema>, Root, Seen>
    : Rest<Schema, 'items', Root, Seen>

// What may follow a tuple’s own items.
type Rest<Schema, Keyword extends string, Root, Seen> = Schema extends { readonly [Key in Keyword]: infer Items }
  ? Items extends false
    ? []
    : From<Items, Root, Seen>[]
  : unknown[]

type LeastItems<Schema> = Schema extends { readonly minItems: infer Count } ? Count : 0

// A tuple may end early, except for as many items as `minItems` asks for.
type Tuple<Items, More extends unknown[], Least, Root, Seen, Done extends unknown[] = []> = Items extends readonly [
  infer First,
  ...infer Others,
]
  ? Done['length'] extends Least
    ? [...Done, ...Optional<Items, Root, Seen>, ...More]
    : Tuple<Others, More, Least, Root, Seen, [...Done, From<First, Root, Seen>]>
  : [...Done, ...More]

type Optional<Items, Root, Seen> = Items extends readonly [infer First, ...infer Others]
  ? [From<First, Root, Seen>?, ...Optional<Others, Root, Seen>]
  : []

type FromObject<Schema, Root, Seen> = Schema extends { readonly properties: infer Properties }
  ? Members<Properties, RequiredOf<Schema>, Root, Seen> &
      Others<Schema, Members<Properties, RequiredOf<Schema>, Root, Seen>, Root, Seen> extends infer Whole
    ? { [Key in keyof Whole]: Whole[Key] }
    : never
  : Schema extends { readonly additionalProperties: infer Values }
    ? Values extends false
      ? Record<string, never>
      : Values extends true
        ? JsonObject
        : Record<string, From<Values, Root, Seen>>
    : [RequiredOf<Schema>] extends [never]
      ? JsonObject
      : { [Key in RequiredOf<Schema>]: unknown } & JsonObject

type Members<Properties, Required, Root, Seen> = {
  -readonly [Key in keyof Properties as Key extends Required ? Key : never]: From<Properties[Key], Root, Seen>
} & {
  -readonly [Key in keyof Properties as Key extends Required ? never : Key]?:
    | From<Properties[Key], Root, Seen>
    | undefined
} & { [Key in Required as Key extends keyof Properties ? never : Key & string]: unknown }

// An index signature must hold for the named members, too.
type Others<Schema, Named, Root, Seen> = Schema extends { readonly additionalProperties: infer Values }
  ? Values extends false
    ? unknown
    : { [name: string]: From<Values, Root, Seen> | Named[keyof Named] }
  : unknown

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name extends string)[] } ? Name : never

// Objects are written as one, so that what a tool shows is what there is.
type Both<A, B> = unknown extends A ? B : unknown extends B ? A : FlatIfObject<A & B>

type FlatIfObject<Type> = Type extends string | number | boolean | null | readonly unknown[]
  ? Type
  : { [Key in keyof Type]: Type[Key] }
