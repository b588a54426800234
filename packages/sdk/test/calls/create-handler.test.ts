import { SIGNATURE_HEADERS } from '@svc/contract'
import { createHandler, defineCapability, defineRuntime, type HandlerOptions, NonceStoreFullError } from '@svc/sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { serve } from '../support/serve.ts'
import {
  callBody,
  fakeClock,
  NOW,
  RUNTIME_ID,
  read,
  SECRET,
  signatureHeaders,
  signedRequest,
} from '../support/signed-calls.ts'

const version = '1.0.0'
const TOKEN = 'end-user-session-token'

const capabilities = [
  defineCapability({ name: 'echo', version, handler: (input) => input }),
  defineCapability({
    name: 'context',
    version,
    handler: (_input, { signal, ...context }) => ({ ...context, aborted: signal.aborted }),
  }),
]

const setUp = (overrides: Partial<HandlerOptions> = {}) => serve(capabilities, overrides)

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

  test('of the reserved capability is answered by the handler itself, without a word to the owner', async () => {
    const heard: unknown[] = []
    const { call } = setUp({ onError: (error) => heard.push(error) })
    expect(await call('svc-probe')).toEqual({ status: 200, body: { output: { ok: true } } })
    expect(heard).toEqual([])
  })

  test('ignores fields of the body that it does not know', async () => {
    expect((await setUp().call('echo', { later: true })).status).toBe(200)
  })
})

describe('refusals', () => {
  async function answerTo(request: Request | Promise<Request>, overrides: Partial<HandlerOptions> = {}) {
    return read(await setUp(overrides).handler(await request))
  }

  // holds SIG-13
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

  // holds SIG-12
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

  // holds SIG-13
  test('a body that somebody read before: raw_body_required', async () => {
    const request = await signedRequest()
    await request.json()
    const message = expect.stringMatching(/something read the body before this handler.*before any body parser/)
    const { handler, reported } = setUp()
    expect(await read(await handler(request))).toEqual({ status: 400, body: { error: 'raw_body_required', message } })
    const locked = await signedRequest()
    locked.body?.getReader()
    expect(await answerTo(locked)).toEqual({ status: 400, body: { error: 'raw_body_required', message } })
    expect(reported.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/raw_body_required.*body parser/),
    ])
  })

  test('a body whose stream gives texts is no raw body; one that breaks off is nobody’s set-up', async () => {
    const post = async (start: (controller: ReadableStreamDefaultController) => void) => {
      const init = {
        method: 'POST',
        headers: await signatureHeaders({}),
        body: new ReadableStream({ start }),
        duplex: 'half',
      }
      return new Request('http://localhost/svc', init)
    }
    const { handler, reported } = setUp()
    const texts = await read(await handler(await post((controller) => controller.enqueue('{}'))))
    expect(texts).toEqual({
      status: 400,
      body: { error: 'raw_body_required', message: expect.stringMatching(/something other than bytes/) },
    })
    expect(reported).toHaveLength(1)
    const cut = await read(await handler(await post((controller) => controller.error(new Error('reset')))))
    expect(cut.body).toEqual({ error: 'raw_body_required', message: 'The body could not be read to its end.' })
    expect(reported).toHaveLength(1)
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
    expect(await full.call('echo')).toEqual({ status: 503, body: { error: 'nonce_store_full' } })
    expect(await broken.call('echo')).toEqual({ status: 503, body: { error: 'nonce_store_unavailable' } })
    expect([full.reported.length, broken.reported.length]).toEqual([1, 1])
  })

  test('a nonce store that does not answer: 503 after its time', async () => {
    const silent = setUp({ nonceStore: { claim: () => new Promise(() => {}) }, nonceTimeoutMs: 1 })
    expect(await silent.call('echo')).toEqual({ status: 503, body: { error: 'nonce_store_unavailable' } })
    expect(silent.reported.map(({ error }) => String(error))).toEqual([
      'Error: The nonce store did not answer within 1 ms.',
    ])
  })

  test('a nonce store that takes its time: a call that has grown too old meanwhile does not run, nor does one that nobody waits for', async () => {
    const clock = fakeClock()
    const slow = async () => {
      clock.set(NOW + 300_001)
      return true
    }
    const late = setUp({ clock, nonceStore: { claim: slow } })
    expect((await late.call('echo')).body).toEqual({ error: 'timestamp_outside_tolerance' })
    const caller = new AbortController()
    const claim = async () => {
      caller.abort()
      return true
    }
    const { call } = setUp({ nonceStore: { claim } })
    expect((await call('echo', {}, caller.signal)).body).toMatchObject({ error: { code: 'aborted' } })
  })

  test('no answer may be kept by a cache', async () => {
    const response = await setUp().handler(await signedRequest())
    expect([response.headers.get('cache-control'), response.headers.get('content-type')]).toEqual([
      'no-store',
      'application/json',
    ])
  })
})

describe('the owner', () => {
  const words = ({ reported }: ReturnType<typeof setUp>) => reported.map(({ error }) => String(error))

  test('hears of a refusal that anonymous callers can cause once a minute, with the number of the others', async () => {
    const clock = fakeClock()
    const served = setUp({ clock })
    const forged = async () =>
      served.handler(await signedRequest({ secret: 'of-somebody-else', timestamp: String(clock.now()) }))
    for (let count = 0; count < 50; count += 1) await forged()
    expect(words(served)).toEqual([expect.stringMatching(/signature_mismatch: the secret here is not the one/)])
    clock.set(NOW + 60_000)
    await forged()
    expect(words(served)[1]).toMatch(/\(49 more since the last notice\)$/)
    expect(words(served)).toHaveLength(2)
  })

  test('can pass console.error, which would print a missing call as undefined', async () => {
    const heard: unknown[][] = []
    const { handler } = setUp({ onError: (...words) => heard.push(words) })
    await handler(await signedRequest({ secret: 'of-somebody-else' }))
    expect(heard).toEqual([[expect.any(Error)]])
  })

  // holds SIG-12, SIG-15
  test('hears that a call was signed long before the store in memory was made, and what to do', async () => {
    const served = setUp()
    const early = await served.handler(await signedRequest({ timestamp: String(NOW - 5_001) }))
    expect(await read(early)).toEqual({ status: 401, body: { error: 'nonce_store_cold' } })
    expect(words(served)).toEqual([
      expect.stringMatching(/nonce_store_cold: .*five seconds before the nonce store in memory was made.*share$/),
    ])
  })

  // holds SIG-15
  test('may know what “accept-cold” gives up: a call from before the store is answered, and once', async () => {
    const served = setUp({ nonceStore: 'accept-cold' })
    const timestamp = String(NOW - 290_000)
    const early = async () => read(await served.handler(await signedRequest({ timestamp, nonce: 'early' })))
    expect((await early()).status).toBe(200)
    expect((await early()).body).toEqual({ error: 'nonce_replayed' })
    expect(words(served)).toEqual([])
  })

  test('does not hear of a replay', async () => {
    const served = setUp()
    for (let count = 0; count < 2; count += 1) await served.handler(await signedRequest({ nonce: 'one' }))
    expect(words(served)).toEqual([])
  })
})

// holds SIG-08
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
  // holds SIG-18
  test.each([
    ['an absent runtime id', { runtimeId: undefined }, /runtimeId.*Is it in the environment/],
    ['something else as the runtime id', { runtimeId: 'svc_sk_x' }, /runtimeId/],
    ['an absent secret', { secret: undefined }, /secret.*Is it in the environment/],
    ['an empty secret', { secret: '' }, /secret/],
    ['a list without a secret', { secret: ['', undefined] }, /secret/],
    ['a key in place of the secret', { secret: 'svc_sk_x' }, /secret.*not a key/],
    ['neither', { runtimeId: undefined, secret: undefined }, /runtimeId.*secret/],
  ])('starts with %s: it says once what is missing, and answers 503', async (_situation, overrides, message) => {
    const { handler, reported } = setUp(overrides)
    for (let count = 0; count < 3; count += 1) {
      expect(await read(await handler(await signedRequest()))).toEqual({
        status: 503,
        body: { error: 'not_configured' },
      })
    }
    expect(reported.map(({ error }) => String(error))).toEqual([expect.stringMatching(message)])
    expect(String(reported[0]?.error)).not.toContain(SECRET)
  })

  test('says it on the console where nobody hears of errors', () => {
    const told = vi.spyOn(console, 'error').mockReturnValue(undefined)
    onTestFinished(() => told.mockRestore())
    setUp({ secret: undefined, onError: undefined })
    expect(told.mock.calls.map(([error]) => String(error))).toEqual([expect.stringMatching(/secret.*environment/)])
  })

  test('refuses what is no runtime, before any call', () => {
    const noRuntime: HandlerOptions['runtime'] = JSON.parse('{}')
    expect(() => createHandler({ runtime: noRuntime, runtimeId: RUNTIME_ID, secret: SECRET })).toThrow(/defineRuntime/)
  })

  test('refuses a capability with permissions that nothing looks up', () => {
    const refund = defineCapability({ name: 'refund', version, permissions: ['orders:refund'], handler: () => null })
    const attempt = () => serve([refund])
    expect(attempt).toThrow(TypeError)
    expect(attempt).toThrow(/“refund” asks for permissions.*permissionsOf/)
    expect(() => serve([refund], { permissionsOf: () => [] })).not.toThrow()
    expect(() =>
      serve([defineCapability({ name: 'open', version, permissions: [], handler: () => null })]),
    ).not.toThrow()
  })

  test('never writes a secret into its message', () => {
    const { reported } = setUp({ runtimeId: SECRET })
    expect(reported.map(({ error }) => String(error))).toEqual([expect.not.stringContaining(SECRET)])
  })

  // holds SIG-14
  test('takes a rotation’s pair of secrets, the old one absent outside a rotation', async () => {
    const { call } = setUp({ secret: ['new', SECRET] })
    expect((await call('echo')).status).toBe(200)
    expect((await setUp({ secret: [SECRET, undefined] }).call('echo')).status).toBe(200)
    expect((await setUp({ secret: ['new', undefined] }).call('echo')).body).toEqual({ error: 'signature_mismatch' })
  })
})
