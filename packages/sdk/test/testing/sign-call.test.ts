import { createHandler, createMemoryNonceStore, defineCapability, defineRuntime, verifySignature } from '@svc/sdk'
import { signCall, signRequest } from '@svc/sdk/testing'
import { expect, test } from 'vitest'
import vectors from '../../../contract/vectors/signing.json' with { type: 'json' }
import { bytesOf, fakeClock, NOW, RUNTIME_ID, read, SECRET } from '../support/signed-calls.ts'

const clock = fakeClock()
const signer = { runtimeId: RUNTIME_ID, secret: SECRET, clock }
const echo = defineCapability({ name: 'echo', version: '1.0.0', handler: (input, context) => ({ input, context }) })

function setUp() {
  return createHandler({
    runtime: defineRuntime({ capabilities: [echo] }),
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock,
  })
}

test('a signed request is answered by a handler, and carries all that it was given', async () => {
  const request = await signRequest({
    ...signer,
    capability: 'echo',
    input: { text: 'Grüße 👋' },
    metadata: { page: '/cart' },
    endUserToken: 'session',
    executionId: 'exec_9',
    callId: 'call_9',
  })
  const { status, body } = await read(await setUp()(request))
  expect(status).toBe(200)
  expect(body).toMatchObject({
    output: {
      input: { text: 'Grüße 👋' },
      context: { executionId: 'exec_9', callId: 'call_9', endUserToken: 'session', metadata: { page: '/cart' } },
    },
  })
})

test('without a clock, a request is signed at the system’s time', async () => {
  const handler = createHandler({
    runtime: defineRuntime({ capabilities: [echo] }),
    ...{ runtimeId: RUNTIME_ID, secret: SECRET, nonceStore: createMemoryNonceStore({ clock }) },
  })
  const request = await signRequest({ runtimeId: RUNTIME_ID, secret: SECRET, capability: 'echo' })
  expect((await handler(request)).status).toBe(200)
})

test('each signature has a nonce of its own, unless it is given one', async () => {
  const options = { ...signer, capability: 'echo' }
  const nonces = await Promise.all(
    Array.from({ length: 100 }, async () => (await signCall(options)).headers['x-svc-nonce']),
  )
  expect(new Set(nonces).size).toBe(100)
  for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/)
  const request = await signRequest({ ...options, nonce: 'my-own' })
  expect(request.headers.get('x-svc-nonce')).toBe('my-own')
})

test('a nobody’s call carries no token, not an empty one', async () => {
  for (const endUserToken of [undefined, '']) {
    const { body } = await signCall({ ...signer, capability: 'echo', endUserToken })
    expect(JSON.parse(body)).toEqual({
      executionId: 'exec_test',
      callId: 'call_test',
      capability: 'echo',
      input: {},
      metadata: {},
    })
  }
})

test('headers and body go to any test tool, word for word', async () => {
  const { headers, body } = await signCall({ ...signer, capability: 'echo', input: { text: 'ü' } })
  const receiver = { runtimeId: RUNTIME_ID, secret: SECRET, clock, nonceStore: createMemoryNonceStore({ clock }) }
  expect(await verifySignature(receiver, { headers: new Headers(headers), body: bytesOf(body) })).toMatchObject({
    ok: true,
    timestamp: NOW,
  })
  expect(headers['content-type']).toBe('application/json')
})

test('body and signature of an ordinary call are those of the published vector', async () => {
  const vector = vectors.find(({ name }) => name === 'an ordinary call')
  if (!vector?.body) throw new Error('the vector is gone')
  const { secret, runtimeId, timestamp, nonce, body, signature } = vector
  const signed = await signCall({
    ...{ runtimeId, secret, nonce, clock: fakeClock(Number(timestamp)) },
    ...{ executionId: 'exec_01', callId: 'call_01', capability: 'search-products', input: { query: 'lantern' } },
  })
  expect(signed.body).toBe(body)
  expect(signed.headers['x-svc-signature']).toBe(signature)
})

test('a secret that is empty is refused', async () => {
  await expect(signCall({ ...signer, secret: '', capability: 'echo' })).rejects.toThrow()
})
