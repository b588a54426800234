import { ClientError, createExecutionClient, type ExecutionClientOptions } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { eventsOf } from './support/answers.ts'
import { createTestClock, settled } from './support/test-clock.ts'

const MESSAGES = [{ role: 'user' as const, parts: [{ type: 'text' as const, content: 'Hi' }] }]

interface Sent {
  url: string
  init: RequestInit
  body: unknown
}

type Options = Partial<Pick<ExecutionClientOptions, 'endUserToken' | 'metadata' | 'idleMs'>>

function clientOf(answer: () => Response | Promise<Response>, options: Options = {}) {
  const sent: Sent[] = []
  const clock = createTestClock()
  const client = createExecutionClient({
    baseUrl: 'https://svc.example.com/',
    publicKey: 'svc_pk_test',
    clock,
    fetch: async (input, init = {}) => {
      sent.push({ url: String(input), init, body: JSON.parse(String(init.body)) })
      return answer()
    },
    ...options,
  })
  return { client, sent, clock }
}

function streamOf(...pieces: string[]): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req_7' } })
}

const frames = (text: string) =>
  eventsOf(text).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

async function collect(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const event of events) all.push(event)
  return all
}

async function errorOf(promise: Promise<unknown>): Promise<ClientError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ClientError)) throw new Error(`not a ClientError: ${String(error)}`)
  return error
}

describe('execute', () => {
  test('sends key, messages and metadata, and gives the answer', async () => {
    const done = eventsOf('Hello').at(-1)
    const { client, sent } = clientOf(() => Response.json(done), { metadata: { page: 'start' } })
    const answer = await client.execute({ messages: MESSAGES })
    expect(answer).toMatchObject({ executionId: 'exec_1', status: 'completed', totalTokens: 2 })
    expect(sent[0]?.url).toBe('https://svc.example.com/v1/runtime/execute')
    expect(sent[0]?.body).toEqual({ messages: MESSAGES, metadata: { page: 'start' } })
    expect(sent[0]?.init.headers).toMatchObject({ authorization: 'Bearer svc_pk_test', accept: 'application/json' })
    expect(sent[0]?.init).toMatchObject({ credentials: 'omit', redirect: 'error' })
  })

  test('asks for the end user’s token with each request, and leaves it out where nobody is signed in', async () => {
    const tokens = ['first', '', null, 'last']
    const { client, sent } = clientOf(() => Response.json(eventsOf('Hi').at(-1)), {
      endUserToken: async () => tokens.shift(),
    })
    for (let turn = 0; turn < 4; turn += 1) await client.execute({ messages: MESSAGES })
    const given = sent.map(({ body }) => (body as { endUserToken?: string }).endUserToken)
    expect(given).toEqual(['first', undefined, undefined, 'last'])
  })

  test('a page that cannot name its end user reads as a problem that tells nothing of the token', async () => {
    const { client, sent } = clientOf(() => Response.json({}), {
      endUserToken: () => Promise.reject(new Error('token abc expired')),
    })
    const error = await errorOf(client.execute({ messages: MESSAGES }))
    expect(error.kind).toBe('no_token')
    expect(JSON.stringify([error.message, error.cause])).not.toContain('abc')
    expect(sent).toEqual([])
  })

  test('a page that never says who is signed in can be given up on', async () => {
    const { client, sent } = clientOf(() => Response.json({}), { endUserToken: () => new Promise(() => undefined) })
    const stop = new AbortController()
    const ending = client.execute({ messages: MESSAGES, signal: stop.signal }).catch((error: unknown) => error)
    await settled()
    stop.abort(new Error('enough'))
    expect([await ending, sent]).toEqual([new Error('enough'), []])
  })

  test('another api has its own paths, its own credential and its own part of the body', async () => {
    const sent: Sent[] = []
    const client = createExecutionClient({
      baseUrl: 'https://svc.example.com',
      api: {
        executePath: '/v1/executions',
        capabilityPath: (capability) => `/v1/capabilities/rt_1/${capability}`,
        headers: { 'x-page': 'owner' },
        credentials: 'same-origin',
        body: { runtimeId: 'rt_1' },
      },
      fetch: async (input, init = {}) => {
        sent.push({ url: String(input), init, body: JSON.parse(String(init.body)) })
        return Response.json(eventsOf('Hi').at(-1))
      },
    })
    await client.execute({ messages: MESSAGES })
    await client.callCapability({ capability: 'order-status', input: { orderNumber: 'ORD-1' } })
    expect(sent.map(({ url }) => url)).toEqual([
      'https://svc.example.com/v1/executions',
      'https://svc.example.com/v1/capabilities/rt_1/order-status',
    ])
    expect(sent.map(({ body }) => body)).toEqual([
      { runtimeId: 'rt_1', messages: MESSAGES },
      { runtimeId: 'rt_1', capability: 'order-status', input: { orderNumber: 'ORD-1' } },
    ])
    expect(sent[0]?.init.credentials).toBe('same-origin')
    expect(new Headers(sent[0]?.init.headers).has('authorization')).toBe(false)
  })

  test('a failed execution is a result', async () => {
    const failed = { ...eventsOf('').at(-1), status: 'failed', finishReason: 'error', error: { message: 'no' } }
    const { client } = clientOf(() => Response.json(failed))
    expect(await client.execute({ messages: MESSAGES })).toMatchObject({ status: 'failed', error: { message: 'no' } })
  })
})

describe('stream', () => {
  test('gives the events in order, whatever the pieces they come in', async () => {
    const text = frames('Grüße 🙂 and more').join(': alive\n\n')
    const bytes = [...text]
    const { client } = clientOf(() => streamOf(...bytes))
    const { events, requestId } = await client.stream({ messages: MESSAGES })
    expect(await collect(events)).toEqual(eventsOf('Grüße 🙂 and more'))
    expect(requestId).toBe('req_7')
  })

  test.each([
    ['unknown', { outcome: 'unknown' }],
    ['later', {}],
  ])('gives the outcome “%s” of a call as %j', async (outcome, given) => {
    const end = { type: 'capability_end', callId: 'c', capability: 'echo', durationMs: 1, error: { message: 'No.' } }
    const { client } = clientOf(() => streamOf(`data: ${JSON.stringify({ ...end, outcome })}\n\n`, ...frames('Hi')))
    const { events } = await client.stream({ messages: MESSAGES })
    expect((await collect(events))[0]).toEqual({ ...end, ...given })
  })

  test('passes over events that it does not know and data that is none', async () => {
    const noise = [
      'data: {"type":"later"}\n\n',
      'data: not json\n\n',
      'data: {"type":"text","content":7}\n\n',
      'data: null\n\n',
    ]
    const { client } = clientOf(() => streamOf(...noise, ...frames('Hi')))
    const { events } = await client.stream({ messages: MESSAGES })
    expect(await collect(events)).toEqual(eventsOf('Hi'))
  })

  test('a stream that ends before its “done” is interrupted, with the request’s id', async () => {
    const { client } = clientOf(() => streamOf(...frames('Hi').slice(0, -1)))
    const { events } = await client.stream({ messages: MESSAGES })
    expect(await errorOf(collect(events))).toMatchObject({ kind: 'interrupted', requestId: 'req_7' })
  })

  test('a stream that does not begin is taken as lost, though its signal was aborted by nobody', async () => {
    const { client, clock } = clientOf(() => new Promise(() => undefined), { idleMs: 45_000 })
    const ending = errorOf(client.stream({ messages: MESSAGES }))
    await clock.advance(45_000)
    expect([(await ending).kind, clock.pending]).toEqual(['unreachable', 0])
  })

  test('a stream that falls silent is interrupted; comments keep it alive', async () => {
    let push: (text: string) => void = () => undefined
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        push = (text) => controller.enqueue(new TextEncoder().encode(text))
      },
    })
    const { client, clock } = clientOf(() => new Response(body), { idleMs: 45_000 })
    const { events } = await client.stream({ messages: MESSAGES })
    const ending = errorOf(collect(events))
    await settled()
    for (let beat = 0; beat < 5; beat += 1) {
      await clock.advance(40_000)
      push(': alive\n\n')
      await settled()
    }
    await clock.advance(45_000)
    expect((await ending).kind).toBe('interrupted')
  })

  test('ends with the signal’s reason once it is aborted, and cancels the body', async () => {
    let isCancelled = false
    const stop = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stop.signal.addEventListener('abort', () => controller.error(stop.signal.reason))
      },
      cancel() {
        isCancelled = true
      },
    })
    const { client } = clientOf(() => new Response(body))
    const { events } = await client.stream({ messages: MESSAGES, signal: stop.signal })
    const ending = collect(events).catch((error: unknown) => error)
    await settled()
    stop.abort(new Error('enough'))
    expect(await ending).toEqual(new Error('enough'))
    expect(isCancelled).toBe(false)
  })

  test('a reader that stops closes the connection', async () => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(frames('Hi')[0])),
      cancel() {
        isCancelled = true
      },
    })
    const { client } = clientOf(() => new Response(body))
    const { events } = await client.stream({ messages: MESSAGES })
    for await (const _ of events) break
    expect(isCancelled).toBe(true)
  })
})

describe('refusals', () => {
  test.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [418, 'malformed'],
  ])('HTTP %i is %s', async (status, kind) => {
    const body = {
      error: { code: 'x', message: 'Words of the service.', details: { fieldErrors: { messages: ['no'] } } },
    }
    const { client } = clientOf(() => Response.json(body, { status, headers: { 'x-request-id': 'req_9' } }))
    const error = await errorOf(client.stream({ messages: MESSAGES }))
    expect(error).toMatchObject({ kind, status, message: 'Words of the service.', requestId: 'req_9' })
    expect(error.fieldErrors).toEqual({ messages: ['no'] })
  })

  test.each([
    ['7', 7000],
    ['0', 0],
    ['999999999', 86_400_000],
    [new Date(1_700_000_030_000).toUTCString(), 30_000],
    [new Date(0).toUTCString(), 0],
    ['soon', null],
    ['-3', null],
  ])('Retry-After %j is %s ms', async (header, expected) => {
    const { client } = clientOf(() => Response.json({}, { status: 429, headers: { 'retry-after': header } }))
    const { retryAfterMs } = await errorOf(client.execute({ messages: MESSAGES }))
    expect(retryAfterMs).toBe(expected)
  })

  test('an answer that is no JSON still has a sentence', async () => {
    const { client } = clientOf(() => new Response('<html>', { status: 502 }))
    expect(await errorOf(client.execute({ messages: MESSAGES }))).toMatchObject({
      kind: 'unavailable',
      message: 'The service answered 502.',
    })
  })

  test('nobody there is unreachable', async () => {
    const { client } = clientOf(() => Promise.reject(new TypeError('fetch failed')))
    expect((await errorOf(client.execute({ messages: MESSAGES }))).kind).toBe('unreachable')
  })

  test.each(['[]', '{}', '{"executionId":"e","status":"later"}', 'null'])('%s is malformed', async (body) => {
    const { client } = clientOf(() => new Response(body))
    expect((await errorOf(client.execute({ messages: MESSAGES }))).kind).toBe('malformed')
  })
})

describe('a capability', () => {
  test('gives its output, or that it failed', async () => {
    const answers = [
      { executionId: 'exec_2', output: { svc: { settled: true } }, durationMs: 4 },
      { executionId: 'exec_3', error: { message: 'closed' }, durationMs: 5 },
    ]
    const { client, sent } = clientOf(() => Response.json(answers.shift()))
    const call = { capability: 'order-status', input: { orderNumber: 'ORD-1' } }
    expect(await client.callCapability(call)).toMatchObject({ output: { svc: { settled: true } }, error: null })
    expect(await client.callCapability(call)).toMatchObject({ output: null, error: { message: 'closed' } })
    expect(sent[0]).toMatchObject({ url: 'https://svc.example.com/v1/runtime/capability', body: call })
  })
})
