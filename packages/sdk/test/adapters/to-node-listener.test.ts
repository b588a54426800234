import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { toNodeListener } from '@svc/sdk/node'
import { collectGarbage } from '@svc/testkit'
import { expect, test } from 'vitest'
import { callBody, signatureHeaders } from '../support/signed-calls.ts'
import { listen } from './support/serve.ts'
import { shopHandler, waitForDeparture } from './support/shop-handler.ts'

async function send(origin: string, body: string) {
  const response = await fetch(origin, { method: 'POST', headers: await signatureHeaders({ body }), body })
  return { status: response.status, body: await response.json() }
}

test('a signed call over a real connection is answered, byte for byte', async () => {
  const { origin } = await listen(toNodeListener(shopHandler()))
  const body = ` ${callBody('echo', { input: { text: 'ünïcode 👩‍🚀' } })}\r\n`
  expect(await send(origin, body)).toEqual({ status: 200, body: { output: { text: 'ünïcode 👩‍🚀' } } })
})

test('a body that arrives in many pieces verifies', async () => {
  const { port } = await listen(toNodeListener(shopHandler()))
  const body = Buffer.from(callBody('echo', { input: { text: 'ü'.repeat(5_000) } }))
  const headers = await signatureHeaders({ body })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest({ port, method: 'POST', headers }, resolve).on('error', reject)
    for (let at = 0; at < body.length; at += 777) request.write(body.subarray(at, at + 777))
    request.end()
  })
  expect((await answered).statusCode).toBe(200)
})

test('one connection serves call after call, refused ones between them', async () => {
  const { origin } = await listen(toNodeListener(shopHandler()))
  expect((await send(origin, callBody('echo'))).status).toBe(200)
  expect((await fetch(origin, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(401)
  expect((await fetch(origin)).status).toBe(405)
  expect((await fetch(origin, { method: 'HEAD' })).status).toBe(405)
  expect(await send(origin, callBody('breaks'))).toMatchObject({
    status: 200,
    body: { output: null, error: { code: 'handler_failed' } },
  })
})

test('a body past the limit is refused without being kept, announced or not', async () => {
  const { origin, port } = await listen(toNodeListener(shopHandler(undefined, { maxBodyBytes: 1_000 })))
  expect(await send(origin, 'x'.repeat(1_001))).toEqual({ status: 413, body: { error: 'body_too_large' } })
  const signed = await signatureHeaders({})
  const chunked = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...signed, 'transfer-encoding': 'chunked' }
    const request = httpRequest({ port, method: 'POST', headers }, resolve)
    request.on('error', reject).write('x'.repeat(600))
    request.write('x'.repeat(600))
  })
  expect([chunked.statusCode, chunked.headers.connection]).toEqual([413, 'close'])
  expect(await send(origin, 'x'.repeat(1_000))).toEqual({ status: 400, body: { error: 'invalid_json' } })
})

test('a body announced as too large is refused before it is sent', async () => {
  const { port } = await listen(toNodeListener(shopHandler()))
  const signed = Object.entries(await signatureHeaders({})).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST /svc HTTP/1.1\r\nhost: x\r\ncontent-length: ${3 * 1024 * 1024}\r\n${signed.join('')}\r\n`
  expect(await statusOf(port, head)).toBe('413')
})

test('the body of an unsigned call is not waited for: a call without its headers is refused at once', async () => {
  const { port } = await listen(toNodeListener(shopHandler()))
  expect(await statusOf(port, 'POST /svc HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nhalf')).toBe('401')
})

test('a method that no Request can have is answered as any other', async () => {
  const { port } = await listen(toNodeListener(shopHandler()))
  expect(await statusOf(port, 'TRACE /svc HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('405')
})

test.each(['body', 'rawBody'])('raw bytes that a host kept as `%s` are used', async (property) => {
  const listener = toNodeListener(shopHandler())
  const { origin } = await listen(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    listener(Object.assign(request, { [property]: Buffer.concat(chunks) }), response)
  })
  expect((await send(origin, callBody('echo', { input: { a: 1 } }))).body).toEqual({ output: { a: 1 } })
})

test('a client that leaves before the answer aborts the handler’s signal, also after a collection of garbage', async () => {
  const { entered, onCall } = waitForDeparture()
  const { origin } = await listen(toNodeListener(shopHandler(onCall)))
  const body = callBody('wait')
  const client = new AbortController()
  const sent = fetch(origin, { method: 'POST', headers: await signatureHeaders({ body }), body, signal: client.signal })
  const signal = await entered
  await collectGarbage()
  expect(signal.aborted).toBe(false)
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  client.abort()
  await expect(sent).rejects.toThrow()
  await aborted
  expect(signal.aborted).toBe(true)
})

test('an answered call leaves its signal alone', async () => {
  let seen: AbortSignal | undefined
  const { origin } = await listen(
    toNodeListener(
      shopHandler((signal) => {
        seen = signal
        return 'done'
      }),
    ),
  )
  expect((await send(origin, callBody('wait'))).body).toEqual({ output: 'done' })
  expect(seen?.aborted).toBe(false)
})

test('a client that leaves in the middle of its body harms nobody', async () => {
  const { origin, port } = await listen(toNodeListener(shopHandler()))
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST /svc HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy())
    })
    socket.on('close', () => resolve())
  })
  expect((await send(origin, callBody('echo'))).status).toBe(200)
})

test.each([
  ['/svc?a=1', '/svc?a=1'],
  ['//user:pw@host/x', '//user:pw@host/x'],
  ['http://user:pw@other/x', '/'],
  ['*', '/'],
])('the request target %j becomes the path %j of a local address', async (target, path) => {
  const urls: string[] = []
  const listener = toNodeListener(async (request) => {
    urls.push(request.url)
    return new Response(null, { status: 204 })
  })
  const { port } = await listen(listener)
  expect(await statusOf(port, `OPTIONS ${target} HTTP/1.1\r\nhost: @@\r\n\r\n`)).toBe('204')
  expect(urls).toEqual([`http://localhost${path}`])
})

test('a handler that rejects is answered 500 without its words', async () => {
  const { origin } = await listen(toNodeListener(() => Promise.reject(new Error('secret words'))))
  const response = await fetch(origin, { method: 'POST', body: '{}' })
  expect([response.status, await response.text()]).toEqual([500, '{"error":"internal_error"}'])
})

/** Sends raw bytes and gives the status of what comes back. */
function statusOf(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('error', reject)
    socket.once('data', (chunk) => {
      socket.destroy()
      resolve(chunk.toString().slice(9, 12))
    })
  })
}
