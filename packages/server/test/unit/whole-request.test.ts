import { expect, test } from 'vitest'
import { readWholeRequest } from '../../src/http/whole-request.ts'

const read = (text: string) => readWholeRequest(Buffer.from(text, 'latin1'))

test('reads a plain request that is there to its last byte, with what a refusal needs of it', () => {
  const head = 'POST /v1/executions?a=1 HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nOrigin: https://a.example\r\n'
  expect(read(`${head}X-Request-Id: request-1\r\nContent-Length: 2\r\n\r\n{}`)).toEqual({
    method: 'POST',
    url: '/v1/executions?a=1',
    headers: { origin: 'https://a.example', 'x-request-id': 'request-1' },
  })
  expect(read('GET /health HTTP/1.1\r\n\r\n')).toMatchObject({ method: 'GET', url: '/health' })
})

test.each([
  ['part of a head', 'GET / HTTP/1.1\r\nhost: a\r\n'],
  ['part of a body', 'POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n{}'],
  ['more than a body', 'POST / HTTP/1.1\r\ncontent-length: 1\r\n\r\n{}'],
  ['two requests', 'GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
  ['two lengths', 'POST / HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}'],
  ['a length that is none', 'POST / HTTP/1.1\r\ncontent-length: +2\r\n\r\n{}'],
  ['a length with a space before its colon', 'POST / HTTP/1.1\r\ncontent-length : 0\r\n\r\n'],
  ['chunks', 'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n'],
  ['chunks beside a length', 'POST / HTTP/1.1\r\ncontent-length: 0\r\nTransfer-Encoding : chunked\r\n\r\n'],
  ['a connection that is to end', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nupgrade: websocket\r\n\r\n'],
  ['a question before the body', 'POST / HTTP/1.1\r\nexpect: 100-continue\r\n\r\n'],
  ['a folded line', 'GET / HTTP/1.1\r\na: b\r\n c\r\n\r\n'],
  ['a bare line end', 'GET / HTTP/1.1\r\na: b\ncontent-length: 2\r\n\r\n'],
  ['a bare carriage return', 'GET / HTTP/1.1\r\na: b\rc\r\n\r\n'],
  ['a line without a colon', 'GET / HTTP/1.1\r\nhost: a\r\nhello\r\n\r\n'],
  ['a name with a space', 'GET / HTTP/1.1\r\nx y: z\r\n\r\n'],
  ['a line without a name', 'GET / HTTP/1.1\r\n: z\r\n\r\n'],
  ['a control character in a name', 'POST / HTTP/1.1\r\n\x0bcontent-length: 5\r\n\r\n'],
  ['a control character in a value', 'GET / HTTP/1.1\r\nx: a\x01b\r\n\r\n'],
  ['a deletion in a value', 'GET / HTTP/1.1\r\nx: a\x7fb\r\n\r\n'],
  ['an empty line in front', '\r\nGET / HTTP/1.1\r\n\r\n'],
  ['an older version', 'GET / HTTP/1.0\r\n\r\n'],
  ['a preflight', 'OPTIONS / HTTP/1.1\r\n\r\n'],
  ['an address in the request line', 'GET http://a/ HTTP/1.1\r\n\r\n'],
])('leaves %s to Node', (_what, text) => {
  expect(read(text)).toBeNull()
})
