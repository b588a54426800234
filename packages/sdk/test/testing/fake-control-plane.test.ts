import { once } from 'node:events'
import { createServer } from 'node:http'
import { createHandler, createMemoryNonceStore, defineCapability, defineRuntime, type HandlerOptions } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import { type CallResult, createFakeControlPlane } from '@svc/sdk/testing'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { fakeClock, NOW, RUNTIME_ID, SECRET } from '../support/signed-calls.ts'

const NEW_SECRET = 'a-new-signing-secret-after-the-rotation'
const DAY_MS = 24 * 60 * 60 * 1000

function setUp(options: Partial<HandlerOptions> = {}) {
  const callIds: string[] = []
  const clock = fakeClock()
  const nonceStore = createMemoryNonceStore({ clock: fakeClock(NOW) })
  const greet = defineCapability({
    name: 'greet',
    version: '1.0.0',
    input: z.object({ name: z.string().default('you') }),
    output: z.object({ text: z.string() }),
    handler: ({ name }, { callId }) => {
      callIds.push(callId)
      return { text: `Hello, ${name}.` }
    },
  })
  const serve = (secret: HandlerOptions['secret']) =>
    createHandler({
      runtime: defineRuntime({ capabilities: [greet] }),
      ...{ runtimeId: RUNTIME_ID, secret, clock, nonceStore, ...options },
    })
  let handler = serve(SECRET)
  const controlPlane = createFakeControlPlane((request) => handler(request), {
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock,
  })
  const restartWith = (secret: HandlerOptions['secret']) => {
    handler = serve(secret)
  }
  const statuses = () => controlPlane.exchanges.map(({ status }) => status)
  return { greet, callIds, clock, controlPlane, restartWith, statuses }
}

describe('call', () => {
  test('calls by definition or by name, and each call has a callId of its own', async () => {
    const { greet, callIds, controlPlane } = setUp()
    const result = await controlPlane.call(greet, { name: 'Ada' })
    expect(result).toEqual({ ok: true, output: { text: 'Hello, Ada.' } })
    expectTypeOf(result).toEqualTypeOf<CallResult<{ text: string }>>()
    expect(await controlPlane.callByName('greet')).toEqual({ ok: true, output: { text: 'Hello, you.' } })
    expect(await controlPlane.callByName('greet', {}, { callId: 'call_mine' })).toMatchObject({ ok: true })
    expect(callIds).toEqual(['call_test_1', 'call_test_2', 'call_mine'])
    // @ts-expect-error the input has the capability’s type
    expect(await controlPlane.call(greet, { name: 7 })).toMatchObject({ ok: false, code: 'input_invalid' })
  })

  test('tells what the endpoint refused, and how', async () => {
    const { controlPlane } = setUp()
    expect(await controlPlane.callByName('nobody-has-this')).toMatchObject({ ok: false, code: 'unknown_capability' })
    expect(controlPlane.exchanges).toMatchObject([{ status: 404, result: { code: 'unknown_capability' } }])
    const { controlPlane: other } = setUp({ runtimeId: 'rt_other' })
    expect(await other.callByName('greet')).toEqual({
      ok: false,
      code: 'runtime_mismatch',
      message: 'The endpoint answered 401 runtime_mismatch.',
    })
  })
})

test('repeat makes the call again with its callId, signed anew', async () => {
  const { callIds, controlPlane } = setUp()
  await controlPlane.callByName('greet', { name: 'Ada' })
  expect(await controlPlane.repeat()).toEqual({ ok: true, output: { text: 'Hello, Ada.' } })
  expect(callIds).toEqual(['call_test_1', 'call_test_1'])
  const [first, second] = controlPlane.exchanges
  expect(second?.request.body).toBe(first?.request.body)
  expect(second?.request.headers['x-svc-nonce']).not.toBe(first?.request.headers['x-svc-nonce'])
})

test('replay sends the same bytes, and a handler refuses them', async () => {
  const { callIds, controlPlane } = setUp()
  await controlPlane.callByName('greet', { name: 'Ada' })
  await controlPlane.callByName('greet', { name: 'Zoë' })
  expect(await controlPlane.replay()).toMatchObject({ ok: false, code: 'nonce_replayed' })
  expect(await controlPlane.replay(controlPlane.exchanges[0])).toMatchObject({ ok: false, code: 'nonce_replayed' })
  const bodies = controlPlane.exchanges.map(({ request }) => request)
  expect(bodies[2]).toEqual(bodies[1])
  expect(bodies[3]).toEqual(bodies[0])
  expect(callIds).toHaveLength(2)
})

test('before any call there is nothing to send again', async () => {
  const { controlPlane } = setUp()
  await expect(controlPlane.replay()).rejects.toThrow('await a call() first')
  await expect(controlPlane.repeat()).rejects.toThrow('await a call() first')
})

describe('a rotation of the secret', () => {
  test('fails no call: the old one first, after a 401 the new one, from then on the new one first', async () => {
    const { callIds, controlPlane, restartWith, statuses } = setUp()
    await controlPlane.callByName('greet')
    expect(controlPlane.rotateSecret({ secret: NEW_SECRET })).toBe(NEW_SECRET)
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: true })
    expect(statuses()).toEqual([200, 200])
    restartWith(NEW_SECRET)
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: true })
    expect(statuses()).toEqual([200, 200, 401, 200])
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: true })
    expect(statuses()).toEqual([200, 200, 401, 200, 200])
    expect(callIds).toEqual(['call_test_1', 'call_test_2', 'call_test_3', 'call_test_4'])
    const [, , refused, accepted] = controlPlane.exchanges
    expect(accepted?.request.body).toBe(refused?.request.body)
    expect(accepted?.request.headers['x-svc-nonce']).not.toBe(refused?.request.headers['x-svc-nonce'])
  })

  test('with no call before it, the old one comes first all the same', async () => {
    const { controlPlane, statuses } = setUp()
    controlPlane.rotateSecret({ secret: NEW_SECRET })
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: true })
    expect(statuses()).toEqual([200])
  })

  test('a handler with both takes either, and one with neither is asked twice', async () => {
    const { controlPlane, restartWith, statuses } = setUp()
    restartWith([NEW_SECRET, SECRET])
    controlPlane.rotateSecret({ secret: NEW_SECRET })
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: true })
    restartWith('something-else')
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: false, code: 'signature_mismatch' })
    expect(statuses()).toEqual([200, 401, 401])
  })

  test('the old one is out of use after its grace, at once where that is 0', async () => {
    const { clock, controlPlane, restartWith, statuses } = setUp()
    controlPlane.rotateSecret({ secret: NEW_SECRET })
    restartWith(NEW_SECRET)
    clock.set(NOW + DAY_MS)
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: true })
    expect(statuses()).toEqual([200])
    const next = controlPlane.rotateSecret({ graceSeconds: 0 })
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: false, code: 'signature_mismatch' })
    expect(statuses()).toEqual([200, 401])
  })
})

describe('an endpoint at an address', () => {
  test('is called over HTTP', async () => {
    const { greet, clock } = setUp()
    const handler = createHandler({
      runtime: defineRuntime({ capabilities: [greet] }),
      ...{ runtimeId: RUNTIME_ID, secret: SECRET, clock },
    })
    const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const controlPlane = createFakeControlPlane(`http://127.0.0.1:${port}/svc`, {
      runtimeId: RUNTIME_ID,
      secret: SECRET,
      clock,
    })
    expect(await controlPlane.call(greet, { name: 'Zoë' })).toEqual({ ok: true, output: { text: 'Hello, Zoë.' } })
    expect(await controlPlane.replay()).toMatchObject({ ok: false, code: 'nonce_replayed' })
  })

  test('is not left for another by a redirect', async () => {
    const seen: RequestInit[] = []
    const redirecting = async (_request: unknown, options: RequestInit = {}) => {
      seen.push(options)
      return new Response(null, { status: 307, headers: { location: 'http://elsewhere.example/' } })
    }
    const controlPlane = createFakeControlPlane('http://shop.example/svc', {
      ...{ runtimeId: RUNTIME_ID, secret: SECRET, fetch: redirecting },
    })
    expect(await controlPlane.callByName('greet')).toMatchObject({ ok: false, code: 'unexpected_status' })
    expect(seen).toEqual([{ redirect: 'manual' }])
  })
})

test.each([
  ['{"output":1}', { ok: true, output: 1 }],
  ['{"output":1,"error":null}', { ok: true, output: 1 }],
  ['{"output":1,"error":"Sold out."}', { ok: false, code: 'capability_failed', message: 'Sold out.' }],
  ['{"error":{"message":"Sold out.","code":"sold_out"}}', { ok: false, code: 'sold_out', message: 'Sold out.' }],
  ['{"error":{}}', { ok: false, code: 'capability_failed', message: 'The capability failed.' }],
  ['{"error":7}', { ok: false, code: 'unreadable_answer' }],
  ['{}', { ok: false, code: 'unreadable_answer' }],
  ['<html>', { ok: false, code: 'unreadable_answer', message: expect.stringContaining('<html>') }],
])('an endpoint of any make that answers 200 %s is understood', async (answer, result) => {
  const controlPlane = createFakeControlPlane(() => new Response(answer), { runtimeId: RUNTIME_ID, secret: SECRET })
  expect(await controlPlane.callByName('greet')).toMatchObject(result)
})
