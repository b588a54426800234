import { randomUUID } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { bodyDigest, computeSignature } from '@svc/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compressedAnswer, type OwnerEndpoint, type OwnerEndpointOptions, startOwnerEndpoint } from '../src/index.ts'

const NOW = 1_767_225_600_000

async function setUp(options: OwnerEndpointOptions = {}): Promise<OwnerEndpoint> {
  const endpoint = await startOwnerEndpoint({
    now: () => NOW,
    handle: { echo: ({ input }) => ({ output: input }) },
    ...options,
  })
  onTestFinished(() => endpoint.close())
  return endpoint
}

interface Shape {
  capability?: string
  secret?: string
  runtimeId?: string
  timestamp?: string
  nonce?: string
  signature?: string
  without?: string
  body?: string
}

async function signedHeaders(endpoint: OwnerEndpoint, body: string, shape: Shape): Promise<Record<string, string>> {
  const { runtimeId = endpoint.runtimeId, timestamp = String(NOW), nonce = randomUUID() } = shape
  const digest = await bodyDigest(new Uint8Array(Buffer.from(body)))
  const parts = { runtimeId, timestamp, nonce, bodyDigest: digest }
  const signature = shape.signature ?? (await computeSignature(shape.secret ?? endpoint.secret, parts))
  const headers: Record<string, string> = {
    'x-svc-runtime-id': runtimeId,
    'x-svc-timestamp': timestamp,
    'x-svc-nonce': nonce,
    'x-svc-signature': signature,
  }
  if (shape.without !== undefined) delete headers[shape.without]
  return headers
}

function bodyOf(capability: string): string {
  const call = {
    executionId: 'exec_1',
    callId: 'call_1',
    capability,
    input: { a: 1 },
    metadata: {},
    endUserToken: 'token',
  }
  return JSON.stringify(call)
}

async function start(endpoint: OwnerEndpoint, shape: Shape = {}): Promise<ClientRequest> {
  const body = shape.body ?? bodyOf(shape.capability ?? 'echo')
  const headers = await signedHeaders(endpoint, body, shape)
  const outgoing = request(endpoint.url, { method: 'POST', headers, agent: false })
  outgoing.end(body)
  return outgoing
}

/** What the client saw: the status and body, or the error's code. */
async function send(endpoint: OwnerEndpoint, shape: Shape = {}): Promise<unknown> {
  const outgoing = await start(endpoint, shape)
  return new Promise((resolve) => {
    outgoing.on('error', (error) => resolve({ error: 'code' in error ? error.code : error.name }))
    outgoing.on('response', (response) => {
      readBody(response).then(
        (body) => resolve({ status: response.statusCode, body }),
        () => resolve({ status: response.statusCode, error: 'cut' }),
      )
    })
  })
}

async function readBody(response: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of response) body += chunk
  return body
}

describe('a scripted endpoint', () => {
  test('answers a signed call from its script and notes the effect', async () => {
    const endpoint = await setUp()
    expect(await send(endpoint)).toEqual({ status: 200, body: '{"output":{"a":1}}' })
    expect(endpoint.effects).toHaveLength(1)
    expect(endpoint.effects[0]).toMatchObject({
      callId: 'call_1',
      capability: 'echo',
      endUserToken: 'token',
      input: { a: 1 },
    })
    expect(endpoint.effects[0]?.body).toBe(bodyOf('echo'))
  })

  test('reports a capability’s failure as the interface says', async () => {
    const endpoint = await setUp({ handle: { echo: () => ({ error: { message: 'Out of stock.' } }) } })
    expect(await send(endpoint)).toEqual({ status: 200, body: '{"output":null,"error":{"message":"Out of stock."}}' })
  })

  test.each<[string, Shape, number]>([
    ['missing_headers', { without: 'x-svc-nonce' }, 401],
    ['missing_headers', { without: 'x-svc-signature' }, 401],
    ['runtime_mismatch', { runtimeId: 'rt_somebody1' }, 401],
    ['timestamp_invalid', { timestamp: '1e12' }, 401],
    ['timestamp_outside_tolerance', { timestamp: String(NOW - 300_001) }, 401],
    ['signature_mismatch', { secret: 'another' }, 401],
    ['signature_mismatch', { signature: 'f'.repeat(64) }, 401],
    ['invalid_json', { body: '{' }, 400],
    ['unknown_capability', { capability: 'unheard-of' }, 404],
  ])('refuses with %s: %j', async (error, shape, status) => {
    const endpoint = await setUp()
    expect(await send(endpoint, shape)).toEqual({ status, body: JSON.stringify({ error }) })
    expect(endpoint.effects).toEqual([])
    expect(endpoint.refusals).toEqual([error])
  })

  test('accepts one nonce once', async () => {
    const endpoint = await setUp()
    await send(endpoint, { nonce: 'same' })
    expect(await send(endpoint, { nonce: 'same' })).toEqual({ status: 401, body: '{"error":"nonce_replayed"}' })
    expect(endpoint.effects).toHaveLength(1)
  })

  test('trusts what it is told to from then on', async () => {
    const endpoint = await setUp()
    endpoint.trust({ runtimeId: 'rt_new00001', secrets: ['new', 'old'] })
    for (const secret of ['new', 'old']) {
      expect(await send(endpoint, { secret, runtimeId: 'rt_new00001' })).toMatchObject({ status: 200 })
    }
    expect(await send(endpoint)).toMatchObject({ status: 401 })
  })
})

describe('faults', () => {
  test('cuts and malformed answers look to a plain client as they should', async () => {
    const endpoint = await setUp()
    const seen: Record<string, unknown> = {}
    endpoint.script('echo', () => ({ fault: 'cut', at: 'before-head', how: 'reset' }))
    seen['reset before the head'] = await send(endpoint)
    endpoint.script('echo', () => ({ fault: 'cut', at: 'inside-body', how: 'end' }))
    seen['end inside the body'] = await send(endpoint)
    endpoint.script('echo', () => ({ fault: 'short-body' }))
    seen['short body'] = await send(endpoint)
    endpoint.script('echo', () => ({ fault: 'raw', bytes: 'nothing like HTTP' }))
    seen['raw'] = await send(endpoint)
    endpoint.resetConnections(1)
    seen['reset on arrival'] = await send(endpoint)
    expect(seen).toEqual({
      'reset before the head': { error: 'ECONNRESET' },
      'end inside the body': { status: 200, error: 'cut' },
      'short body': { status: 200, error: 'cut' },
      raw: { error: 'HPE_INVALID_CONSTANT' },
      'reset on arrival': { error: expect.stringMatching(/ECONNRESET|EPIPE/) },
    })
    expect(endpoint.effects).toHaveLength(4)
  })

  test('whole answers that nobody can use arrive whole', async () => {
    const endpoint = await setUp()
    endpoint.script('echo', () => ({ fault: 'redirect', status: 307, location: 'http://127.0.0.1:1/' }))
    expect(await send(endpoint)).toMatchObject({ status: 307 })
    endpoint.script('echo', () => ({ fault: 'deep', levels: 3 }))
    expect(await send(endpoint)).toEqual({ status: 200, body: '{"output":[[[]]]}' })
    endpoint.script('echo', () => ({ fault: 'huge', bytes: 100_000, announced: false }))
    expect(await send(endpoint)).toMatchObject({ status: 200, body: expect.stringMatching(/^.{100013}$/) })
    endpoint.script('echo', () => compressedAnswer('gzip', 100_000))
    expect(await send(endpoint)).toMatchObject({ status: 200, body: expect.stringMatching(/^.{1,1000}$/s) })
  })

  test.each(['silence', 'stalled-body', 'endless'] as const)('%s ends when the client leaves', async (fault) => {
    const endpoint = await setUp()
    const outgoing: ClientRequest[] = []
    endpoint.script('echo', () => {
      setImmediate(() => outgoing[0]?.destroy())
      return { fault }
    })
    outgoing.push(await start(endpoint))
    outgoing[0]?.on('error', () => {})
    await endpoint.whenLeft()
    await endpoint.whenIdle()
    expect(endpoint.effects).toHaveLength(1)
  })

  test('closing ends stalls and drips, and frees the port', async () => {
    const endpoint = await setUp()
    endpoint.script('echo', () => ({ fault: 'drip', everyMs: 1 }))
    const outgoing = await start(endpoint)
    const ended = new Promise((resolve) => {
      outgoing.on('response', (response) => readBody(response).then(resolve, () => resolve('cut')))
      outgoing.on('response', () => void endpoint.close())
    })
    expect(await ended).toBe('cut')
    expect(await send(endpoint)).toEqual({ error: 'ECONNREFUSED' })
  })
})
