import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { ErrorBody } from '@svc/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { listenLocally, type RawAnswer, sendRaw, statusOver } from '../support/raw-http.ts'
import { saying, setScene } from '../support/scene.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const MALFORMED: readonly (readonly [name: string, bytes: string | Buffer])[] = [
  ['words', 'hello\r\n\r\n'],
  ['an unknown method', 'FOO / HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['an unknown version', 'GET / HTTP/9.9\r\nhost: a\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['no host, on a path behind a credential', 'GET /v1/runtimes HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost: a\r\nhello\r\n\r\n'],
  ['a header with a control character', 'GET / HTTP/1.1\r\nhost: a\r\nx: \x01\r\n\r\n'],
  ['headers of 20 KB', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['an address of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ['a length that is none', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: many\r\n\r\n'],
  ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['an unknown transfer', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: rot13\r\n\r\nabc'],
  ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
]

const UNUSUAL: readonly (readonly [name: string, status: number, head: string])[] = [
  [
    'an expectation that nobody knows',
    200,
    'GET / HTTP/1.1\r\nhost: a\r\nexpect: the-unexpected\r\nconnection: close\r\n\r\n',
  ],
  [
    'an upgrade to what is not spoken here',
    200,
    'GET / HTTP/1.1\r\nhost: a\r\nupgrade: h2c\r\nconnection: upgrade, close\r\n\r\n',
  ],
  ['HTTP/1.0', 200, 'GET / HTTP/1.0\r\n\r\n'],
  ['TRACE', 404, 'TRACE / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
  ['QUERY', 404, 'QUERY / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
  ['PROPFIND', 404, 'PROPFIND /v1/runtimes HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
  ['PURGE', 404, 'PURGE /v1/runtimes HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
  ['OPTIONS *', 404, 'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
]

// What happens on a connection before any store is asked is the same on every engine.
describeEngine('sqlite', 'on a connection', (engine) => {
  const database = useDatabase(engine)

  // holds ERR-09, ERR-11
  test.each(MALFORMED)(
    '%s is answered with a validation error and a request id, and the connection closed',
    async (_, bytes) => {
      const { service } = await setScene(database())
      const answer = await sendRaw(await listenLocally(service.app), bytes)
      const { error } = envelopeOf(answer)
      expect([answer.status, error.code]).toEqual([400, 'validation_error'])
      expect(Object.keys(error.details?.fieldErrors ?? {})).toEqual(['request'])
      expect(answer.headers.get('connection')).toBe('close')
    },
  )

  test('a peer that sends nonsense and keeps its side open is disconnected', async () => {
    const { service } = await setScene(database())
    const port = await listenLocally(service.app)
    const closed = new Promise<void>((resolve) => {
      service.app.server.once('connection', (socket) => socket.once('close', () => resolve()))
    })
    const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => peer.write('nonsense\r\n\r\n'))
    onTestFinished(() => void peer.destroy())
    peer.resume()
    await closed
    // Well before the time that slow peers are given.
  }, 5_000)

  test('callers who leave before their answer leave no timers behind', async () => {
    const { service, endpoint, runtime } = await setScene(database(), { tier: 'pro' })
    const port = await listenLocally(service.app)
    const before = timers()
    for (let caller = 0; caller < 12; caller += 1) {
      const path = `/v1/capabilities/${runtime.runtimeId}/echo`
      const request = httpRequest({ port, path, method: 'POST', agent: false })
      request.on('error', () => {})
      const left = new Promise((resolve) => {
        service.app.server.once('connection', (socket) => socket.once('close', resolve))
      })
      const answered = new Promise<void>((resolve) => {
        endpoint.script('echo', async () => {
          request.destroy()
          await left
          resolve()
          return { output: null }
        })
      })
      request.end()
      await answered
    }
    await vi.waitFor(() => expect(timers() - before).toBeLessThan(6), { timeout: 5_000 })
  })

  test.each([
    [0, 4, 'by one network are half of the bound at most: another is answered'],
    [1, 8, 'by one proxy are as many as there may be at all'],
  ])('behind %d proxies, %d connections of eight %s', async (proxyHops, most) => {
    const { service } = await setScene(database(), { proxyHops, limits: { connections: 8 } })
    const port = await listenLocally(service.app)
    const open = await Promise.all(Array.from({ length: 8 }, () => statusOver(port, '127.0.0.1')))
    expect(open.filter((status) => status === 200)).toHaveLength(most)
    expect(await statusOver(port, '127.0.0.2')).toBe(proxyHops === 0 ? 200 : null)
  })

  test.each(UNUSUAL)('%s is answered with %d as any other request', async (_, status, head) => {
    const { service } = await setScene(database())
    const answer = await sendRaw(await listenLocally(service.app), head)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
    if (status === 404) expect(envelopeOf(answer).error.message).toBe('The route was not found.')
    else expect(answer.body).toBe('{"service":"svc","version":"0.0.0-test"}')
  })

  test('a body that is too large is answered during the upload, and the connection continues or ends cleanly', async () => {
    const { service, runtime } = await setScene(database())
    const port = await listenLocally(service.app)
    for (const told of [true, false]) {
      const headers = { authorization: `Bearer ${runtime.publicKey}`, 'content-type': 'application/json' }
      const answer = await upload(port, { ...headers, ...(told && { 'content-length': String(3_000_000) }) }, 3_000_000)
      const { error } = ErrorBody.parse(JSON.parse(answer.body))
      expect([answer.status, Object.keys(error.details?.fieldErrors ?? {})]).toEqual([400, ['body']])
    }
  })

  test('100-continue is granted', async () => {
    const { service, runtime } = await setScene(database())
    const port = await listenLocally(service.app)
    const body = JSON.stringify(saying())
    const headers = {
      authorization: `Bearer ${runtime.publicKey}`,
      'content-type': 'application/json',
      expect: '100-continue',
    }
    expect((await upload(port, headers, 0, body)).status).toBe(200)
  })
})

function envelopeOf(answer: RawAnswer): ErrorBody {
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.headers.get('x-request-id')).toMatch(UUID)
  expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.body))
  const sent: unknown = JSON.parse(answer.body)
  expect(ErrorBody.parse(sent)).toEqual(sent)
  return ErrorBody.parse(sent)
}

/** Posts `bytes` of padding after `body` and gives the answer, however early it comes. */
function upload(
  port: number,
  headers: Record<string, string>,
  bytes: number,
  body = '',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/v1/runtime/execute', headers })
    sending.on('response', (answer) => {
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, body: text }), reject)
      answer.on('end', () => sending.destroy())
    })
    sending.on('error', reject)
    sending.end(body + ' '.repeat(bytes))
  })
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}
