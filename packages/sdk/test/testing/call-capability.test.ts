import { CapabilityError, defineCapability, defineRuntime } from '@svc/sdk'
import { type AsJson, type CallResult, callCapability } from '@svc/sdk/testing'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { fakeClock, NOW } from '../support/signed-calls.ts'

const version = '1.0.0'

const reserve = defineCapability({
  name: 'reserve',
  version,
  input: z.object({ count: z.number().int().max(3), note: z.string().default('none') }),
  output: z.object({ total: z.number(), note: z.string() }),
  handler: ({ count, note }) => ({ total: count * 2, note, internal: 'kept back' }),
})
const who = defineCapability({
  name: 'who',
  version,
  requiresEndUser: true,
  handler: (_input, { endUserToken }) => endUserToken,
})
const context = defineCapability({ name: 'context', version, handler: (_input, { signal, ...rest }) => rest })
const refund = defineCapability({
  name: 'refund',
  version,
  permissions: ['orders:refund', 'orders:read'],
  handler: () => 'done',
})

const failing = (thrown: unknown) => defineCapability({ name: 'fails', version, handler: () => Promise.reject(thrown) })

test('a capability is called by the whole way of a real call: defaults filled in, output trimmed to its schema', async () => {
  expect(await callCapability(reserve, { count: 2 })).toEqual({ ok: true, output: { total: 4, note: 'none' } })
})

describe('a call that fails says so by code and message', () => {
  test('input that its schema refuses', async () => {
    const result = await callCapability(reserve, { count: 4 })
    expect(result).toMatchObject({ ok: false, code: 'input_invalid', message: expect.stringContaining('count') })
  })

  test('input that is no JSON object', async () => {
    const found = defineRuntime({ capabilities: [reserve] }).find('reserve')
    if (!found) throw new Error('not found')
    expect(await callCapability(found, 'two')).toMatchObject({ ok: false, code: 'invalid_json' })
  })

  test('nobody signed in', async () => {
    expect(await callCapability(who, {})).toMatchObject({ ok: false, code: 'end_user_required' })
    expect(await callCapability(who, {}, { endUserToken: 'alice' })).toEqual({ ok: true, output: 'alice' })
  })

  test('an expected failure, in its own words', async () => {
    const errors: unknown[] = []
    const result = await callCapability(
      failing(new CapabilityError('Sold out.')),
      {},
      { onError: (error) => errors.push(error) },
    )
    expect(result).toEqual({ ok: false, code: 'capability_error', message: 'Sold out.' })
    expect(errors).toEqual([])
  })

  test('an unexpected one, which onError is given with its stack', async () => {
    const errors: unknown[] = []
    const thrown = new Error('The database is away.')
    const result = await callCapability(failing(thrown), {}, { onError: (error) => errors.push(error) })
    const message = 'The capability failed. Its callId is call_test.'
    expect(result).toEqual({ ok: false, code: 'handler_failed', message })
    expect(errors).toEqual([thrown])
    const shown = await callCapability(failing(thrown), {}, { exposeErrors: true })
    expect(shown).toMatchObject({ message: 'The database is away.' })
  })

  test('output that its schema does not allow', async () => {
    const wrong = defineCapability({
      name: 'wrong',
      version,
      output: z.object({ id: z.number().max(3) }),
      handler: () => ({ id: 4 }),
    })
    expect(await callCapability(wrong, {})).toMatchObject({ ok: false, code: 'output_invalid' })
  })
})

test('the end user holds the permissions that the call says, by default all that the capability asks for', async () => {
  expect(await callCapability(refund, {}, { endUserToken: 'alice' })).toEqual({ ok: true, output: 'done' })
  for (const permissions of [[], ['orders:read'], ['orders:refund']]) {
    const result = await callCapability(refund, {}, { endUserToken: 'alice', permissions })
    expect(result).toMatchObject({ ok: false, code: 'permission_denied' })
  }
})

test('the handler’s context is what the call says', async () => {
  const result = await callCapability(
    context,
    {},
    {
      ...{
        metadata: { page: '/cart' },
        executionId: 'exec_7',
        callId: 'call_7',
        endUserToken: 'bob',
        clock: fakeClock(),
      },
    },
  )
  expect(result).toEqual({
    ok: true,
    output: {
      ...{
        capability: 'context',
        metadata: { page: '/cart' },
        executionId: 'exec_7',
        callId: 'call_7',
        endUserToken: 'bob',
      },
      startedAt: new Date(NOW).toISOString(),
    },
  })
})

test('a caller that leaves aborts the handler’s signal', async () => {
  const leaving = new AbortController()
  const waiting = defineCapability({
    name: 'waiting',
    version,
    handler: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        leaving.abort()
      }),
  })
  expect(await callCapability(waiting, {}, { signal: leaving.signal })).toMatchObject({ ok: false, code: 'aborted' })
})

test('a hundred calls at once do not touch each other', async () => {
  const calls = Array.from({ length: 100 }, (_, index) => callCapability(who, {}, { endUserToken: `user-${index}` }))
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => ({ ok: true, output: `user-${index}` })))
})

test('input and output have the capability’s types, as they read in JSON', async () => {
  const order = defineCapability({
    name: 'order',
    version,
    input: z.object({ at: z.iso.datetime().transform((at) => new Date(at)), limit: z.number().default(5) }),
    output: z.object({ id: z.string(), placedAt: z.date().optional(), lines: z.array(z.object({ sku: z.string() })) }),
    handler: ({ at }) => ({ id: '1', placedAt: at, lines: [{ sku: 'a' }] }),
  })
  const result = await callCapability(order, { at: '2026-01-01T00:00:00Z' })
  expect(result).toEqual({ ok: true, output: { id: '1', placedAt: '2026-01-01T00:00:00.000Z', lines: [{ sku: 'a' }] } })
  expectTypeOf(result).toEqualTypeOf<CallResult<{ id: string; placedAt?: string; lines: { sku: string }[] }>>()
  // @ts-expect-error the input is a text before the transform
  await callCapability(order, { at: new Date() })
  // @ts-expect-error a required field is missing
  await callCapability(order, {})

  const plain = defineCapability({
    name: 'plain',
    version,
    input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    output: { type: 'object', properties: { state: { enum: ['open', 'shut'] } }, required: ['state'] },
    handler: () => ({ state: 'open' as const }),
  })
  const answered = await callCapability(plain, { id: 1 })
  if (answered.ok) expectTypeOf(answered.output.state).toEqualTypeOf<'open' | 'shut'>()
  // @ts-expect-error the field has another type
  await callCapability(plain, { id: '1' })

  expectTypeOf(await callCapability(who, {})).toEqualTypeOf<CallResult<unknown>>()
})

test('a type as JSON is what stringify and parse leave of a value', () => {
  interface Written {
    at: Date
    maybe?: Date | undefined
    pair: readonly [Date, number | undefined]
    nothing: undefined
    run(): void
    either: 'a' | null
    own: { toJSON(): { deep: Date } }
    any: unknown
  }
  expectTypeOf<AsJson<Written>>().toEqualTypeOf<{
    at: string
    maybe?: string
    pair: readonly [string, number | null]
    either: 'a' | null
    own: { deep: string }
    any: unknown
  }>()
  expectTypeOf<AsJson<Date[]>>().toEqualTypeOf<string[]>()
})
