import { type CapabilityHandler, createMemoryNonceStore, type HandlerOptions } from '@svc/sdk'
import { describe, expect, test } from 'vitest'
import { failedRows } from '../../../../server/test/support/examine-receiver.ts'
import {
  bytesOf,
  type CallParts,
  callBody,
  fakeClock,
  NOW,
  RUNTIME_ID,
  SECRET,
  signatureHeaders,
} from '../../support/signed-calls.ts'
import { serveThrough } from './serve-through.ts'
import { shopHandler, waitForDeparture } from './shop-handler.ts'

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal | undefined
}

export interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: unknown
}

/** An application that serves the handler at {@link PATHS}, and what its own error handlers were given. */
export interface Place {
  send(sent: Sent): Promise<Answer>
  readonly faults: readonly unknown[]
}

export interface Adapter {
  open(handler: CapabilityHandler): Place | Promise<Place>
  /** The application has other routes beside the handler’s. */
  readonly hasRoutes: boolean
  /** Nothing of the application stands between the handler and the adapter. */
  readonly answersRejections: boolean
  /** The platform tells when a caller leaves. */
  readonly tellsDepartures: boolean
  /** What the advice about a parsed body names. */
  readonly advice: RegExp
}

/** Where an application has the handler, the handler behind a body parser, and a route that answers with its JSON body. */
export const PATHS = {
  direct: '/svc',
  prefixed: '/api/v1/svc',
  parsed: '/parsed/svc',
  neighbour: '/neighbour',
} as const

interface Call extends CallParts {
  readonly path?: string
  readonly method?: string
}

async function call(place: Place, parts: Call = {}): Promise<Answer> {
  const { path = PATHS.direct, method = 'POST', signal } = parts
  const headers = { 'content-type': 'application/json', ...(await signatureHeaders(parts)), ...parts.headers }
  return place.send({ method, path, headers, signal, body: bytesOf(parts.body ?? callBody('echo')) })
}

const echoed = (input: unknown) => ({ status: 200, type: 'application/json', body: { output: input } })
const refused = (status: number, error: string) => ({ status, type: 'application/json', body: { error } })

/** What every adapter keeps, whatever is around it. */
export function describeAdapter(name: string, adapter: Adapter): void {
  const openShop = (options: Partial<HandlerOptions> = {}, onCall?: (signal: AbortSignal) => unknown) =>
    adapter.open(shopHandler(onCall, options))

  describe(name, () => {
    test('a signed call is answered', async () => {
      const place = await openShop()
      const body = callBody('echo', { input: { order: 'A-17' } })
      expect(await call(place, { body })).toEqual(echoed({ order: 'A-17' }))
    })

    test.each([
      ['spaces and line ends', ` \r\n${callBody('echo', { input: { a: 1 } })}\t\r\n`, { a: 1 }],
      [
        'letters of every script',
        callBody('echo', { input: { a: 'ünïcode 👩‍🚀 \u2028 漢字' } }),
        { a: 'ünïcode 👩‍🚀 \u2028 漢字' },
      ],
      ['a mebibyte', callBody('echo', { input: { a: 'ü'.repeat(2 ** 19) } }), { a: 'ü'.repeat(2 ** 19) }],
    ])('%s arrive byte for byte', async (_what, body, input) => {
      expect(await call(await openShop(), { body })).toEqual(echoed(input))
    })

    test('a byte order mark survives: the signature holds, the JSON does not', async () => {
      const body = `\uFEFF${callBody('echo')}`
      expect(await call(await openShop(), { body })).toEqual(refused(400, 'invalid_json'))
    })

    test.each<[number, string, Call]>([
      [401, 'missing_headers', { headers: { 'x-svc-nonce': '' } }],
      [401, 'runtime_mismatch', { runtimeId: 'rt_other001' }],
      [401, 'timestamp_invalid', { timestamp: 'today' }],
      [401, 'timestamp_outside_tolerance', { timestamp: String(NOW - 300_001) }],
      [401, 'signature_mismatch', { secret: 'of-somebody-else' }],
      [400, 'invalid_json', { body: '{' }],
      [400, 'missing_capability', { body: '{}' }],
      [404, 'unknown_capability', { body: callBody('nobody') }],
    ])('%i %s reaches the caller as it is', async (status, code, parts) => {
      const place = await openShop()
      expect(await call(place, parts)).toEqual(refused(status, code))
      expect(place.faults).toEqual([])
    })

    // holds DOC-02
    test('it passes the doctor of the control plane', async () => {
      const place = await openShop({ clock: Date })
      const url = await serveThrough((sent) => place.send(sent), PATHS.direct)
      expect(await failedRows({ url, runtimeId: RUNTIME_ID, secret: SECRET })).toEqual([])
      expect(place.faults).toEqual([])
    })

    test('a call sent again is refused', async () => {
      const place = await openShop()
      expect((await call(place, { nonce: 'once' })).status).toBe(200)
      expect(await call(place, { nonce: 'once' })).toEqual(refused(401, 'nonce_replayed'))
    })

    test('a nonce store that is full answers 503', async () => {
      const nonceStore = createMemoryNonceStore({ clock: fakeClock(), maxEntries: 0 })
      expect(await call(await openShop({ nonceStore }))).toEqual(refused(503, 'nonce_store_full'))
    })

    test('a body that was parsed before is answered with the reason and the fix, not with signature_mismatch', async () => {
      const reported: unknown[] = []
      const place = await openShop({ onError: (error) => reported.push(error) })
      const answer = await call(place, { path: PATHS.parsed })
      expect(answer).toMatchObject({ status: 400, body: { error: 'raw_body_required' } })
      expect(answer.body).toHaveProperty('message', expect.stringMatching(adapter.advice))
      expect(place.faults).toEqual([])
      expect(reported.map(String)).toEqual([expect.stringMatching(/raw_body_required: .* before any body parser/)])
    })

    test('a body past the limit is answered 413, the next call as ever', async () => {
      const place = await openShop({ maxBodyBytes: 1_000 })
      const body = callBody('echo', { input: { a: 'x'.repeat(1_000) } })
      expect(await call(place, { body })).toEqual(refused(413, 'body_too_large'))
      expect((await call(place)).status).toBe(200)
      expect(place.faults).toEqual([])
    })

    test('the handler’s limit is the adapter’s: three mebibytes pass where it allows five', async () => {
      const place = await openShop({ maxBodyBytes: 5 * 2 ** 20 })
      const body = callBody('echo', { input: { a: 'x'.repeat(3 * 2 ** 20) } })
      expect((await call(place, { body })).status).toBe(200)
    })

    test.each(['GET', 'PUT', 'DELETE'])('%s is answered 405', async (method) => {
      expect(await call(await openShop(), { method })).toEqual(refused(405, 'method_not_allowed'))
    })

    test('what a capability throws is a failed call, and no fault of the application', async () => {
      const place = await openShop()
      expect(await call(place, { body: callBody('breaks') })).toMatchObject({
        status: 200,
        body: { output: null, error: { code: 'handler_failed' } },
      })
      expect(await call(place, { body: callBody('refuses') })).toMatchObject({
        status: 200,
        body: { output: null, error: { message: 'There are only 3 left.' } },
      })
      expect(place.faults).toEqual([])
    })

    test('a hundred calls at once get each its own answer', async () => {
      const place = await openShop()
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => call(place, { body: callBody('echo', { input: { n } }) })),
      )
      expect(answers.map(({ body }) => body)).toEqual(answers.map((_, n) => ({ output: { n } })))
    })

    if (adapter.tellsDepartures) describeDepartures(adapter)
    if (adapter.hasRoutes) describeRoutes(adapter)
    if (adapter.answersRejections) describeRejections(adapter)
  })
}

function describeDepartures(adapter: Adapter): void {
  test('a caller who leaves aborts the signal of the capability', async () => {
    const { entered, onCall } = waitForDeparture()
    const place = await adapter.open(shopHandler(onCall))
    const caller = new AbortController()
    const sent = call(place, { body: callBody('wait'), signal: caller.signal })
    const signal = await entered
    expect(signal.aborted).toBe(false)
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    caller.abort()
    await Promise.allSettled([sent])
    await aborted
    expect(signal.aborted).toBe(true)
    expect(place.faults).toEqual([])
  })

  test('an answered call leaves its signal alone', async () => {
    const signals: AbortSignal[] = []
    const place = await adapter.open(shopHandler((signal) => signals.push(signal)))
    expect((await call(place, { body: callBody('wait') })).body).toEqual({ output: 1 })
    // A second one over the same connection: by then all that follows the first answer has happened.
    expect((await call(place, { body: callBody('wait') })).body).toEqual({ output: 2 })
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  })
}

function describeRoutes(adapter: Adapter): void {
  test('the handler works below a prefix', async () => {
    const place = await adapter.open(shopHandler())
    expect(await call(place, { path: PATHS.prefixed })).toEqual(echoed({}))
  })

  test('another route of the application keeps its parsed body', async () => {
    const place = await adapter.open(shopHandler())
    expect((await call(place)).status).toBe(200)
    const body = JSON.stringify({ parsed: ['as', 'ever'] })
    expect(await call(place, { path: PATHS.neighbour, body })).toMatchObject({
      status: 200,
      body: { parsed: ['as', 'ever'] },
    })
  })
}

function describeRejections(adapter: Adapter): void {
  test('a handler that breaks its word and rejects is answered 500 without its words', async () => {
    const place = await adapter.open(() => Promise.reject(new Error('secret words')))
    expect(await call(place)).toEqual(refused(500, 'internal_error'))
    expect(place.faults).toEqual([])
  })
}
