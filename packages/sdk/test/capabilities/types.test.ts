import type { ReservedOutput } from '@svc/contract'
import {
  type CapabilityContext,
  type CapabilityDefinitionError,
  type CapabilityError,
  defineCapability,
  defineRuntime,
  type EffectStoreFullError,
  type FailureCode,
  type HandlerOptions,
  type JsonSchema,
  type NonceStoreFullError,
  type PermissionsOf,
} from '@svc/sdk'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { handMadeSchema } from '../support/hand-made-schema.ts'

const facts = { name: 'probe', version: '1.0.0' } as const

test('a zod schema gives the handler its output type, defaults and transforms applied', () => {
  const probe = defineCapability({
    ...facts,
    input: z.object({
      query: z.string(),
      limit: z.number().default(5),
      at: z.string().transform((at) => new Date(at)),
    }),
    handler(input) {
      expectTypeOf(input).toEqualTypeOf<{ query: string; limit: number; at: Date }>()
    },
  })
  expect(probe.name).toBe('probe')
})

test('a Standard Schema of no known library gives its types as well', () => {
  defineCapability({
    ...facts,
    input: handMadeSchema((value): number => Number(value)),
    handler(input) {
      expectTypeOf(input).toEqualTypeOf<number>()
    },
  })
})

test('a plain JSON Schema written in place gives types without a cast', () => {
  defineCapability({
    ...facts,
    input: {
      type: 'object',
      properties: {
        sku: { type: 'string', description: 'article number' },
        quantity: { type: 'integer' },
        size: { enum: ['s', 'm', 'l'] },
        kind: { const: 'gift' },
        note: { type: ['string', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        address: { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] },
        extra: true,
      },
      required: ['sku', 'tags', 'address'],
      additionalProperties: false,
    },
    handler(input) {
      expectTypeOf(input).toEqualTypeOf<{
        sku: string
        tags: string[]
        address: { zip: string }
        quantity?: number | undefined
        size?: 's' | 'm' | 'l' | undefined
        kind?: 'gift' | undefined
        note?: string | null | undefined
        extra?: unknown
      }>()
    },
  })
})

test('input that no schema describes, or one that says nothing at compile time, is an object of unknown members', () => {
  const loose: JsonSchema = { type: 'object' }
  defineCapability({
    ...facts,
    input: loose,
    handler: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
  })
  defineCapability({ ...facts, handler: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>() })
})

test('valibot gives its types, wrapped to be published or plain', () => {
  const schema = v.object({ query: v.string(), limit: v.optional(v.number(), 5), tag: v.optional(v.string()) })
  interface Read {
    query: string
    limit: number
    tag?: string | undefined
  }
  defineCapability({
    ...facts,
    input: toStandardJsonSchema(schema),
    handler: (input) => expectTypeOf(input).branded.toEqualTypeOf<Read>(),
  })
  defineCapability({
    ...facts,
    input: schema,
    output: v.object({ total: v.number() }),
    handler: (input) => {
      expectTypeOf(input).branded.toEqualTypeOf<Read>()
      return { total: input.limit }
    },
  })
  // @ts-expect-error: total must be a number
  defineCapability({ ...facts, output: v.object({ total: v.number() }), handler: () => ({ total: 'one' }) })
})

test('arktype gives its types', () => {
  defineCapability({
    ...facts,
    input: type({ query: 'string', 'limit?': '1 <= number <= 10', sort: "'asc' | 'desc'" }),
    output: type({ total: 'number' }),
    handler(input) {
      expectTypeOf(input.query).toEqualTypeOf<string>()
      expectTypeOf(input.limit).toEqualTypeOf<number | undefined>()
      expectTypeOf(input.sort).toEqualTypeOf<'asc' | 'desc'>()
      return { total: 1 }
    },
  })
  // @ts-expect-error: total must be a number
  defineCapability({ ...facts, output: type({ total: 'number' }), handler: () => ({ total: 'one' }) })
})

test('a JSON Schema defined elsewhere as const gives its types, too', () => {
  const input = {
    type: 'object',
    properties: { id: { type: 'string' }, sort: { enum: ['asc', 'desc'] } },
    required: ['id'],
  } as const
  const output = {
    anyOf: [{ type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }, { type: 'null' }],
  } as const
  defineCapability({
    ...facts,
    input,
    output,
    handler(given) {
      expectTypeOf(given).toEqualTypeOf<{ id: string; sort?: 'asc' | 'desc' | undefined }>()
      return given.id === '' ? null : { price: 1 }
    },
  })
  // @ts-expect-error: price is missing
  defineCapability({ ...facts, input, output, handler: () => ({ cost: 1 }) })
})

test('a library’s schemas inside a plain object are a type error where they stand, with the way out', () => {
  // @ts-expect-error: wrap the whole object, as in z.object({ … })
  expect(() => defineCapability({ ...facts, input: { city: z.string() }, handler: () => null })).toThrow(/wrap|whole/)
  expect(() =>
    defineCapability({
      ...facts,
      // @ts-expect-error: wrap the whole object, as in z.object({ … })
      output: { city: v.string() },
      handler: () => ({ city: 'Bern' }),
    }),
  ).toThrow(/whole/)
  // What a schema from elsewhere holds is not known before the program runs.
  const read: Record<string, unknown> = { type: 'object' }
  expect(defineCapability({ ...facts, input: read, output: z.toJSONSchema(z.string()), handler: () => '' }).input).toBe(
    read,
  )
})

test('permissions are kept as the words that they are', () => {
  const refund = defineCapability({
    ...facts,
    permissions: ['orders:read', 'orders:refund'],
    requiresEndUser: true,
    handler: () => null,
  })
  expectTypeOf(refund.permissions).toEqualTypeOf<readonly ('orders:read' | 'orders:refund')[] | undefined>()
  expectTypeOf<HandlerOptions['permissionsOf']>().toEqualTypeOf<PermissionsOf | undefined>()
  expectTypeOf<PermissionsOf>().parameter(0).toEqualTypeOf<CapabilityContext>()
  // @ts-expect-error: a permission is a text
  expect(() => defineCapability({ ...facts, permissions: [1], handler: () => null })).toThrow(/permissions\.0/)
})

test('a handler is called with its own types in the owner’s tests', async () => {
  const double = defineCapability({
    ...facts,
    input: z.object({ n: z.number() }),
    output: z.object({ twice: z.number() }),
    requiresEndUser: true,
    handler: ({ n }, { endUserToken }) => ({ twice: n * endUserToken.length }),
  })
  const context = {
    ...{ executionId: 'exec_1', callId: 'call_1', capability: 'probe', startedAt: new Date(0), metadata: {} },
    ...{ endUserToken: 'ab', signal: new AbortController().signal },
  }
  expectTypeOf(double.handler).returns.resolves.toEqualTypeOf<{ twice: number } & { readonly svc?: ReservedOutput }>()
  expect(await double.handler({ n: 2 }, context)).toEqual({ twice: 4 })
  // @ts-expect-error: n is a number
  void double.handler({ n: 'two' }, context)
  // @ts-expect-error: the capability requires an end user
  expect(() => double.handler({ n: 2 }, { ...context, endUserToken: undefined })).toThrow(TypeError)
})

test('failures have codes of a closed list', () => {
  expectTypeOf<FailureCode>().toEqualTypeOf<
    | 'end_user_required'
    | 'permission_denied'
    | 'input_invalid'
    | 'capability_error'
    | 'handler_failed'
    | 'output_invalid'
    | 'aborted'
    | 'approval_required'
    | 'preview_changed'
    | 'outcome_unknown'
    | 'call_id_reused'
    | 'never_run'
  >()
  expectTypeOf<CapabilityError['code']>().toEqualTypeOf<'capability_error'>()
  expectTypeOf<NonceStoreFullError['code']>().toEqualTypeOf<'nonce_store_full'>()
  expectTypeOf<EffectStoreFullError['code']>().toEqualTypeOf<'effect_store_full'>()
  expectTypeOf<CapabilityDefinitionError['code']>().toEqualTypeOf<'capability_definition'>()
})

test('the end-user token is a string for certain only where the capability requires one', () => {
  defineCapability({
    ...facts,
    requiresEndUser: true,
    handler: (_input, context) => expectTypeOf(context.endUserToken).toEqualTypeOf<string>(),
  })
  defineCapability({
    ...facts,
    requiresEndUser: false,
    handler: (_input, context) => expectTypeOf(context.endUserToken).toEqualTypeOf<string | undefined>(),
  })
  defineCapability({
    ...facts,
    handler: (_input, context) => expectTypeOf(context.endUserToken).toEqualTypeOf<string | undefined>(),
  })
  expectTypeOf<CapabilityContext['startedAt']>().toEqualTypeOf<Date>()
  expectTypeOf<CapabilityContext['signal']>().toEqualTypeOf<AbortSignal>()
})

test('an output schema binds what the handler returns, and async is welcome', () => {
  const output = z.object({ total: z.number(), note: z.string().optional() })
  defineCapability({ ...facts, output, handler: () => ({ total: 1 }) })
  defineCapability({ ...facts, output, handler: async () => ({ total: 1, note: 'x' }) })
  defineCapability({ ...facts, output, handler: () => ({ total: 1, note: undefined }) })
  // @ts-expect-error: total is missing
  defineCapability({ ...facts, output, handler: async () => ({ note: 'x' }) })
  // @ts-expect-error: total must be a number
  defineCapability({ ...facts, output, handler: () => ({ total: 'one' }) })
  // @ts-expect-error: the plain schema says integer
  defineCapability({ ...facts, output: { type: 'integer' }, handler: async () => 'one' })
  defineCapability({ ...facts, output: { type: 'integer' }, handler: async () => 1 })
})

test('capabilities of every kind fit into one runtime without a cast', () => {
  const plain = defineCapability({ ...facts, name: 'plain', input: { type: 'object' }, handler: () => null })
  const typed = defineCapability({
    ...facts,
    name: 'typed',
    input: z.object({ id: z.number() }),
    output: z.object({ ok: z.boolean() }),
    requiresEndUser: true,
    handler: ({ id }, { endUserToken }) => ({ ok: id > 0 && endUserToken.length > 0 }),
  })
  expect(defineRuntime({ capabilities: [plain, typed] }).find('typed')).toBe(typed)
})

test('a preview gets what the handler gets, and returns a preview', () => {
  defineCapability({
    ...facts,
    input: z.object({ id: z.number(), at: z.string().transform((at) => new Date(at)) }),
    requiresEndUser: true,
    effect: 'destructive',
    confirm: true,
    handler: ({ id }) => id,
    preview(input, context) {
      expectTypeOf(input).toEqualTypeOf<{ id: number; at: Date }>()
      expectTypeOf(context.endUserToken).toEqualTypeOf<string>()
      return { title: `Delete ${input.id}`, lines: [], amount: { value: 1, currency: 'EUR' }, confirm: false }
    },
  })
  // @ts-expect-error: a preview has a title
  defineCapability({ ...facts, handler: () => 1, preview: () => ({ lines: [] }) })
  // @ts-expect-error: there is no such effect
  expect(() => defineCapability({ ...facts, handler: () => 1, effect: 'delete' })).toThrow(/effect must be/)
})
