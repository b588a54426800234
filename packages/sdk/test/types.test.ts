import { type CapabilityContext, defineCapability, defineRuntime, type FromJsonSchema, type JsonSchema } from '@svc/sdk'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { handMadeSchema } from './support/hand-made-schema.ts'

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

test('schemas that say little fall back to objects of unknown members', () => {
  expectTypeOf<FromJsonSchema<{ type: 'object' }>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<FromJsonSchema<{ type: 'array' }>>().toEqualTypeOf<unknown[]>()
  expectTypeOf<FromJsonSchema<{ type: string }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<{ anyOf: [] }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromJsonSchema<{ type: 'object'; additionalProperties: { type: 'number' } }>>().toEqualTypeOf<
    Record<string, number>
  >()
  const loose: JsonSchema = { type: 'object' }
  defineCapability({
    ...facts,
    input: loose,
    handler: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
  })
  defineCapability({ ...facts, handler: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>() })
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
