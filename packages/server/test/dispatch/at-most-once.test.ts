import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { FAILURES } from '../../src/dispatch/failures.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { EXPIRED_TLS, LOCALHOST_TLS } from './localhost-tls.ts'
import { callOf, setUpDispatcher, setUpEndpoint, TOKEN, targetOf } from './setup.ts'

const unreachable = { ok: false, message: FAILURES.unreachable.message }

async function closedPort(): Promise<number> {
  const { port, close } = await listenOnFreePort(createServer())
  await close()
  return port
}

// holds OUT-07
test('a call that was read and then reset has its effect once, and is not tried again', async () => {
  const endpoint = await setUpEndpoint()
  let reads = 0
  endpoint.script('search-products', () => {
    reads += 1
    if (reads % 5 === 0) return { fault: 'cut', at: 'before-head', how: 'reset' }
    return { output: reads }
  })
  const { dispatcher, tries } = setUpDispatcher()
  const results = []
  for (let round = 0; round < 20; round += 1) {
    const batch = Array.from({ length: 20 }, () => dispatcher.dispatch(targetOf(endpoint), callOf()))
    results.push(...(await Promise.all(batch)))
  }
  const callIds = endpoint.effects.map((call) => call.callId)
  expect(new Set(callIds).size).toBe(callIds.length)
  expect(callIds).toHaveLength(400)
  expect(tries()).toBe(400)
  expect(results.filter((result) => !result.ok)).toHaveLength(80)
})

test('a connection reset on arrival costs the call or a retry, never a second effect', async () => {
  const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
  for (let round = 0; round < 10; round += 1) {
    const { dispatcher } = setUpDispatcher()
    const call = callOf()
    endpoint.resetConnections(1)
    const result = await dispatcher.dispatch(targetOf(endpoint), call)
    const effects = endpoint.effects.filter((effect) => effect.callId === call.callId)
    expect(effects).toHaveLength(result.ok ? 1 : 0)
  }
})

// holds OUT-07
test('a connection refused is tried once more, then the endpoint is unreachable', async () => {
  const { dispatcher, tries, reasons } = setUpDispatcher()
  const url = `http://127.0.0.1:${await closedPort()}/svc`
  const result = await dispatcher.dispatch(targetOf({ url, runtimeId: 'rt_closed01', secret: 'x' }), callOf())
  expect(result).toMatchObject(unreachable)
  expect(tries()).toBe(2)
  expect(reasons).toEqual(['ECONNREFUSED'])
})

/** An endpoint that refuses its first calls because its nonce store has just started. */
async function coldEndpoint(coldCalls: number) {
  const received: { nonce: unknown; callId: unknown }[] = []
  const server = createHttpServer((request, response) => {
    request.resume()
    received.push({ nonce: request.headers['x-svc-nonce'], callId: request.headers['idempotency-key'] })
    const isCold = received.length <= coldCalls
    response.statusCode = isCold ? 401 : 200
    response.end(JSON.stringify(isCold ? { error: 'nonce_store_cold' } : { output: 1 }))
  })
  const { port, close } = await listenOnFreePort(server)
  onTestFinished(() => close())
  const target = targetOf({ url: `http://127.0.0.1:${port}/svc`, runtimeId: 'rt_cold0001', secret: 'x' })
  return { received, target }
}

// holds OUT-07
test('an endpoint that has just started gets the same call once more, signed anew', async () => {
  const { received, target } = await coldEndpoint(1)
  const { dispatcher } = setUpDispatcher()
  const call = callOf()
  expect(await dispatcher.dispatch(target, call)).toMatchObject({ ok: true, output: JsonDocument.of(1) })
  expect(received).toEqual([
    { nonce: 'nonce-1', callId: call.callId },
    { nonce: 'nonce-2', callId: call.callId },
  ])
})

test('an endpoint that stays cold fails the call in transport, and no other secret is tried', async () => {
  const { received, target } = await coldEndpoint(9)
  const { dispatcher, reasons } = setUpDispatcher()
  const previous = { secret: new Secret('y'), expiresAt: Number.MAX_SAFE_INTEGER }
  const rotated = { ...target, secrets: { ...target.secrets, previous } }
  expect(await dispatcher.dispatch(rotated, callOf())).toMatchObject({ ok: false, message: FAILURES.cold.message })
  expect([received.length, reasons]).toEqual([2, ['nonce_store_cold']])
  expect(dispatcher.healthOf(target)).toBe('degraded')
})

test('a name that does not resolve is asked for once more', async () => {
  let asked = 0
  const resolve = () => {
    asked += 1
    return Promise.reject(Object.assign(new Error(`queryA ESERVFAIL shop.example`), { code: 'ESERVFAIL' }))
  }
  const { dispatcher, tries, reasons } = setUpDispatcher({ resolve })
  const target = targetOf({ url: 'https://shop.example/svc', runtimeId: 'rt_noname01', secret: 'x' })
  expect(await dispatcher.dispatch(target, callOf())).toMatchObject(unreachable)
  expect([asked, tries()]).toEqual([2, 2])
  expect(reasons).toEqual(['ESERVFAIL'])
})

test('a name server that keeps silent ends with the deadline of the call', async () => {
  const { dispatcher, tries } = setUpDispatcher({ dispatchMs: 100, resolve: () => new Promise(() => {}) })
  const target = targetOf({ url: 'https://shop.example/svc', runtimeId: 'rt_silent01', secret: 'x' })
  const startedAt = performance.now()
  const result = await dispatcher.dispatch(target, callOf())
  expect(result).toMatchObject({ ok: false, message: FAILURES.timeout.message })
  expect(performance.now() - startedAt).toBeLessThan(1100)
  expect(tries()).toBe(1)
})

// holds OUT-08, SIG-05
test('a TLS handshake that breaks off is tried once more, on a new connection with a nonce of its own', async () => {
  const endpoint = await setUpEndpoint({
    tls: LOCALHOST_TLS,
    handle: { 'search-products': () => ({ output: 'second' }) },
  })
  endpoint.resetConnections(1)
  const { dispatcher, tries } = setUpDispatcher({ trustedCertificates: LOCALHOST_TLS.cert })
  const target = { ...targetOf(endpoint), endpoint: `https://localhost:${endpoint.port}/svc` }
  expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: true, output: JsonDocument.of('second') })
  expect(tries()).toBe(2)
  expect(endpoint.effects).toHaveLength(1)
  expect(endpoint.effects[0]?.headers['x-svc-nonce']).toBe('nonce-2')
})

test('two broken handshakes end it: there is no third try', async () => {
  const endpoint = await setUpEndpoint({ tls: LOCALHOST_TLS, handle: { 'search-products': () => ({ output: 1 }) } })
  endpoint.resetConnections(2)
  const { dispatcher, tries } = setUpDispatcher({ trustedCertificates: LOCALHOST_TLS.cert })
  const target = { ...targetOf(endpoint), endpoint: `https://localhost:${endpoint.port}/svc` }
  expect(await dispatcher.dispatch(target, callOf())).toMatchObject(unreachable)
  expect(tries()).toBe(2)
  expect(endpoint.effects).toEqual([])
})

test.each([
  ['self-signed', 'localhost', LOCALHOST_TLS, undefined],
  ['for another name', '127.0.0.1', LOCALHOST_TLS, LOCALHOST_TLS.cert],
  ['run out', 'localhost', EXPIRED_TLS, EXPIRED_TLS.cert],
])('a certificate that is %s ends the call, untried a second time and unread', async (_, host, tls, trusted) => {
  const endpoint = await setUpEndpoint({ tls, handle: { 'search-products': () => ({ output: 1 }) } })
  const { dispatcher, tries, lines } = setUpDispatcher(trusted === undefined ? {} : { trustedCertificates: trusted })
  const target = { ...targetOf(endpoint), endpoint: `https://${host}:${endpoint.port}/svc` }
  expect(await dispatcher.dispatch(target, callOf())).toMatchObject(unreachable)
  expect(tries()).toBe(1)
  expect(endpoint.effects).toEqual([])
  expect(lines.join()).not.toContain(TOKEN)
})

test('no environment variable turns certificate checks off', async () => {
  const endpoint = await setUpEndpoint({ tls: LOCALHOST_TLS, handle: { 'search-products': () => ({ output: 1 }) } })
  const { dispatcher } = setUpDispatcher()
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    const target = { ...targetOf(endpoint), endpoint: `https://localhost:${endpoint.port}/svc` }
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject(unreachable)
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
  }
  expect(endpoint.effects).toEqual([])
})
