import { SIGNATURE_HEADERS } from '@svc/contract'
import {
  CapabilityError,
  createHandler,
  defineCapability,
  defineRuntime,
  type FailedCall,
  type HandlerOptions,
  NonceStoreFullError,
} from '@svc/sdk'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { handMadeSchema } from './support/hand-made-schema.ts'
import { callBody, fakeClock, NOW, RUNTIME_ID, read, SECRET, signedRequest } from './support/signed-calls.ts'

const version = '1.0.0'
const TOKEN = 'end-user-session-token'

const capabilities = [
  defineCapability({ name: 'echo', version, handler: (input) => input }),
  defineCapability({
    name: 'context',
    version,
    handler: (_input, { signal, ...context }) => ({ ...context, aborted: signal.aborted }),
  }),
  defineCapability({
    name: 'typed',
    version,
    input: z.object({ at: z.iso.datetime().transform((at) => new Date(at).getTime()), limit: z.number().default(5) }),
    handler: (input) => input,
  }),
  defineCapability({
    name: 'by-hand',
    version,
    input: handMadeSchema(async (value) => {
      if (JSON.stringify(value) === '{}') throw new Error('needs something')
      return 'checked'
    }),
    handler: (input) => input,
  }),
  defineCapability({ name: 'plain', version, input: { type: 'object', required: ['id'] }, handler: (input) => input }),
  defineCapability({
    name: 'for-users',
    version,
    requiresEndUser: true,
    handler: (_input, { endUserToken }) => endUserToken.length,
  }),
  defineCapability({ name: 'nothing', version, handler: () => undefined }),
  defineCapability({
    name: 'bare',
    version,
    output: z.object({ id: z.number() }),
    handler: () => ({ id: 1, passwordHash: 'x' }),
  }),
  defineCapability({ name: 'wrong', version, output: z.object({ id: z.number().max(3) }), handler: () => ({ id: 4 }) }),
  defineCapability({ name: 'big', version, handler: () => ({ id: 1n }) }),
  defineCapability({ name: 'function', version, handler: () => () => 'x' }),
  defineCapability({
    name: 'sold-out',
    version,
    handler: () => Promise.reject(new CapabilityError('There are only 3 left.')),
  }),
  defineCapability({
    name: 'breaks',
    version,
    handler: () => {
      throw new Error(`The database is away.\n    at query (/srv/shop/store.ts:14:9)\nTried as ${TOKEN}.`)
    },
  }),
  defineCapability({ name: 'throws-text', version, handler: () => Promise.reject('plain words') }),
  defineCapability({ name: 'throws-nothing', version, handler: () => Promise.reject(undefined) }),
]

function setUp(overrides: Partial<HandlerOptions> = {}) {
  const reported: { error: unknown; call: FailedCall | undefined }[] = []
  const handler = createHandler({
    runtime: defineRuntime({ capabilities }),
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock: fakeClock(),
    onError: (error, call) => reported.push({ error, call }),
    ...overrides,
  })
  const call = async (capability: string, fields: Record<string, unknown> = {}) =>
    read(await handler(await signedRequest({ body: callBody(capability, fields) })))
  return { handler, call, reported }
}

const failure = (message: unknown) => ({ status: 200, body: { output: null, error: { message } } })

describe('a verified call', () => {
  test('is answered with what the handler returned', async () => {
    const { call } = setUp()
    expect(await call('echo', { input: { a: [1, 'ü'] } })).toEqual({ status: 200, body: { output: { a: [1, 'ü'] } } })
  })

  test('gives the handler its whole context', async () => {
    const { call } = setUp()
    const answered = await call('context', {
      metadata: { page: '/cart' },
      endUserToken: TOKEN,
      executionId: 'exec_9',
      callId: 'call_9',
    })
    expect(answered.body).toEqual({
      output: {
        executionId: 'exec_9',
        callId: 'call_9',
        capability: 'context',
        startedAt: new Date(NOW).toISOString(),
        endUserToken: TOKEN,
        metadata: { page: '/cart' },
        aborted: false,
      },
    })
  })

  test('ignores fields of the body that it does not know', async () => {
    expect((await setUp().call('echo', { later: true })).status).toBe(200)
  })

  test('hands the caller’s departure to the handler', async () => {
    const departure = new AbortController()
    let started = (_signal: AbortSignal) => {}
    const entered = new Promise<AbortSignal>((resolve) => {
      started = resolve
    })
    const wait = defineCapability({
      name: 'wait',
      version,
      handler: (_input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new CapabilityError('stopped')))
          started(signal)
        }),
    })
    const { handler } = setUp({ runtime: defineRuntime({ capabilities: [wait] }) })
    const answered = handler(await signedRequest({ body: callBody('wait'), signal: departure.signal }))
    expect((await entered).aborted).toBe(false)
    departure.abort()
    expect(await read(await answered)).toEqual(failure('stopped'))
  })
})

describe('input', () => {
  test('reaches the handler as the schema made it', async () => {
    const answered = await setUp().call('typed', { input: { at: '2026-01-01T00:00:00Z' } })
    expect(answered.body).toEqual({ output: { at: 1_767_225_600_000, limit: 5 } })
  })

  test('that the schema refuses fails the call with the field named, and is no error of the owner’s', async () => {
    const { call, reported } = setUp()
    expect(await call('typed', { input: { at: 'now' } })).toEqual(
      failure(expect.stringMatching(/^The input is not valid: at: /)),
    )
    expect(reported).toEqual([])
  })

  test('is validated by any Standard Schema, asynchronous ones too', async () => {
    const { call } = setUp()
    expect(await call('by-hand', { input: { a: 1 } })).toEqual({ status: 200, body: { output: 'checked' } })
    expect(await call('by-hand')).toEqual(failure('The input is not valid: lines.0: needs something'))
  })

  test('under a plain JSON Schema is passed on as the control plane validated it', async () => {
    expect(await setUp().call('plain', { input: { id: 7 } })).toEqual({ status: 200, body: { output: { id: 7 } } })
  })
})

describe('the end user', () => {
  test.each([[{}], [{ endUserToken: '' }]])('is required before the handler runs: %j', async (fields) => {
    expect(await setUp().call('for-users', fields)).toEqual(
      failure(expect.stringMatching(/“for-users”.*signed-in user/)),
    )
  })

  test('is known to the handler by the untouched token', async () => {
    expect(await setUp().call('for-users', { endUserToken: TOKEN })).toEqual({
      status: 200,
      body: { output: TOKEN.length },
    })
  })
})

describe('output', () => {
  test('is null where the handler returned nothing', async () => {
    expect((await setUp().call('nothing')).body).toEqual({ output: null })
    expect((await setUp().call('function')).body).toEqual({ output: null })
  })

  test('loses the fields that its schema does not name', async () => {
    expect((await setUp().call('bare')).body).toEqual({ output: { id: 1 } })
  })

  test('that its schema refuses, or that is no JSON, fails the call and is reported', async () => {
    const { call, reported } = setUp()
    expect(await call('wrong')).toEqual(failure('“wrong” returned something that its output schema does not allow.'))
    expect(await call('big')).toEqual(failure('“big” returned something that cannot be written as JSON.'))
    expect(reported.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/does not allow\. id: /),
      expect.stringMatching(/BigInt/),
    ])
  })
})

describe('a handler that throws', () => {
  test('tells the model its message, and nobody its stack or the end user’s token', async () => {
    const { handler } = setUp()
    const body = callBody('breaks', { endUserToken: TOKEN })
    const response = await handler(await signedRequest({ body }))
    const text = await response.text()
    expect(JSON.parse(text)).toEqual(failure('The database is away.\nTried as [end-user token].').body)
    expect(text + JSON.stringify([...response.headers])).not.toMatch(
      /store\.ts|create-handler|run-capability|session-token/,
    )
  })

  test('is reported to the owner with the call, stack and all', async () => {
    const { call, reported } = setUp()
    await call('breaks')
    expect(reported).toEqual([
      { error: expect.any(Error), call: { executionId: 'exec_1', callId: 'call_1', capability: 'breaks' } },
    ])
  })

  test('with a CapabilityError gives an ordinary outcome, which is not reported', async () => {
    const { call, reported } = setUp()
    expect(await call('sold-out')).toEqual(failure('There are only 3 left.'))
    expect(reported).toEqual([])
  })

  test('what is no error still gives a sentence', async () => {
    const { call } = setUp()
    expect(await call('throws-text')).toEqual(failure('plain words'))
    expect(await call('throws-nothing')).toEqual(failure('The capability failed.'))
  })

  test('is answered even when the owner’s logger throws or rejects', async () => {
    const throwing = setUp({
      onError: () => {
        throw new Error('no disk')
      },
    })
    const rejecting = setUp({ onError: () => Promise.reject(new Error('no disk')) })
    expect((await throwing.call('breaks')).status).toBe(200)
    expect((await rejecting.call('breaks')).status).toBe(200)
  })
})

describe('refusals', () => {
  async function answerTo(request: Request | Promise<Request>, overrides: Partial<HandlerOptions> = {}) {
    return read(await setUp(overrides).handler(await request))
  }

  test.each([
    ['{', 400, 'invalid_json'],
    ['', 400, 'invalid_json'],
    ['\ufeff{}', 400, 'invalid_json'],
    [Uint8Array.of(0x22, 0xff, 0x22), 400, 'invalid_json'],
    [callBody('echo', { input: [] }), 400, 'invalid_json'],
    [callBody('echo', { executionId: 1 }), 400, 'invalid_json'],
    ['null', 400, 'missing_capability'],
    ['[]', 400, 'missing_capability'],
    ['{"capability":7}', 400, 'missing_capability'],
    ['{"__proto__":{"capability":"echo"}}', 400, 'missing_capability'],
    [callBody('Echo'), 404, 'unknown_capability'],
    [callBody('constructor'), 404, 'unknown_capability'],
    [callBody(''), 404, 'unknown_capability'],
  ])('a signed %j: %i %s', async (body, status, error) => {
    expect(await answerTo(signedRequest({ body }))).toEqual({ status, body: { error } })
  })

  test.each([
    ['missing_headers', { [SIGNATURE_HEADERS.signature]: '' }],
    ['runtime_mismatch', { [SIGNATURE_HEADERS.runtimeId]: 'rt_other0001' }],
    ['timestamp_invalid', { [SIGNATURE_HEADERS.timestamp]: 'now' }],
    ['timestamp_outside_tolerance', { [SIGNATURE_HEADERS.timestamp]: '1000000000000' }],
    ['signature_mismatch', { [SIGNATURE_HEADERS.signature]: '0'.repeat(64) }],
  ])('401 %s before the body is parsed', async (error, headers) => {
    expect(await answerTo(signedRequest({ body: '{', headers }))).toEqual({ status: 401, body: { error } })
  })

  test('headers are judged before a byte of the body is read', async () => {
    let isRead = false
    const body = new ReadableStream(
      {
        pull: () => {
          isRead = true
        },
      },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' }
    expect(await answerTo(new Request('http://localhost/', init))).toEqual({
      status: 401,
      body: { error: 'missing_headers' },
    })
    expect(isRead).toBe(false)
  })

  test('a body that somebody read before: raw_body_required', async () => {
    const request = await signedRequest()
    await request.json()
    expect(await answerTo(request)).toEqual({ status: 400, body: { error: 'raw_body_required' } })
    const locked = await signedRequest()
    locked.body?.getReader()
    expect(await answerTo(locked)).toEqual({ status: 400, body: { error: 'raw_body_required' } })
  })

  test('a body past the limit: 413, and one at the limit passes', async () => {
    const body = callBody('echo')
    expect((await answerTo(signedRequest({ body }), { maxBodyBytes: body.length })).status).toBe(200)
    expect(await answerTo(signedRequest({ body }), { maxBodyBytes: body.length - 1 })).toEqual({
      status: 413,
      body: { error: 'body_too_large' },
    })
  })

  test.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('%s: 405 with the method that is served', async (method) => {
    const response = await setUp().handler(new Request('http://localhost/svc', { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('a nonce store that is full or broken: 503, reported, and the handler does not run', async () => {
    const full = setUp({ nonceStore: { claim: () => Promise.reject(new NonceStoreFullError('full')) } })
    const broken = setUp({
      nonceStore: {
        claim: () => {
          throw new Error('redis://user:secret@host is away')
        },
      },
    })
    expect(await full.call('breaks')).toEqual({ status: 503, body: { error: 'nonce_store_full' } })
    expect(await broken.call('breaks')).toEqual({ status: 503, body: { error: 'nonce_store_unavailable' } })
    expect([full.reported.length, broken.reported.length]).toEqual([1, 1])
  })

  test('no answer may be kept by a cache', async () => {
    const response = await setUp().handler(await signedRequest())
    expect([response.headers.get('cache-control'), response.headers.get('content-type')]).toEqual([
      'no-store',
      'application/json',
    ])
  })
})

test('of 1,000 concurrent replays one is answered, and the handler runs once', async () => {
  let runs = 0
  const count = defineCapability({ name: 'count', version, handler: () => ++runs })
  const { handler } = setUp({ runtime: defineRuntime({ capabilities: [count] }) })
  const replays = Array.from({ length: 1_000 }, () =>
    signedRequest({ body: callBody('count'), nonce: 'the-same' })
      .then(handler)
      .then(read),
  )
  const answers = await Promise.all(replays)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ body }) => JSON.stringify(body) === '{"error":"nonce_replayed"}')).toHaveLength(999)
  expect(runs).toBe(1)
})

describe('createHandler', () => {
  const runtime = defineRuntime({ capabilities: [] })

  test.each([
    ['an absent runtime id', { runtimeId: undefined }, /runtimeId.*Is it in the environment/],
    ['something else as the runtime id', { runtimeId: 'svc_sk_x' }, /runtimeId/],
    ['an absent secret', { secret: undefined }, /secret.*Is it in the environment/],
    ['an empty secret', { secret: '' }, /secret/],
    ['a list without a secret', { secret: ['', undefined] }, /secret/],
    ['no runtime', { runtime: JSON.parse('{}') }, /defineRuntime/],
  ])('refuses %s with a message, before any call', (_situation, overrides, message) => {
    expect(() => createHandler({ runtime, runtimeId: RUNTIME_ID, secret: SECRET, ...overrides })).toThrow(message)
  })

  test('never writes a secret into its message', () => {
    const attempt = () => createHandler({ runtime, runtimeId: SECRET, secret: SECRET })
    expect(attempt).toThrow(TypeError)
    expect(attempt).not.toThrow(SECRET)
  })

  test('takes a rotation’s pair of secrets, the old one absent outside a rotation', async () => {
    const { call } = setUp({ secret: ['new', SECRET] })
    expect((await call('echo')).status).toBe(200)
    expect((await setUp({ secret: [SECRET, undefined] }).call('echo')).status).toBe(200)
    expect((await setUp({ secret: ['new', undefined] }).call('echo')).body).toEqual({ error: 'signature_mismatch' })
  })
})
