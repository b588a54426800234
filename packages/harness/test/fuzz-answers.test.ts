import { describe, expect, test } from 'vitest'
import { type Asked, faultOf } from '../src/fuzz/support/judge-answer.ts'
import { readAnswer } from '../src/fuzz/support/raw-http.ts'
import { jsonRequest, toBytes } from '../src/fuzz/support/raw-request.ts'

const ASKED: Asked = {
  mayFailAsCapability: false,
  mayCloseUnanswered: false,
  isHead: false,
  manner: 'envelope',
  insides: ['db-host-7'],
  ownersInsides: ['127.0.0.1:7007'],
}
const ID = 'x-request-id: 0123456789abcdef'

function wire(
  status: number,
  body: string,
  headers = `${ID}\r\ncontent-type: application/json; charset=utf-8`,
): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status} Status\r\n${headers}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function judged(bytes: Buffer, asked: Partial<Asked> = {}) {
  const answer = readAnswer(bytes)
  if (!answer) throw new Error('the answer is not whole')
  return faultOf({ kind: 'answer', answer, isOpen: true }, { ...ASKED, ...asked })?.kind ?? null
}

function refusal(message: string, code = 'validation_error'): string {
  return JSON.stringify({ error: { code, message } })
}

describe('an answer on the wire', () => {
  test('is read when it is whole, by its length, in chunks, to its end, or without a body', () => {
    const whole = wire(200, '{"a":"é"}')
    expect(readAnswer(whole)).toMatchObject({ status: 200, body: '{"a":"é"}', size: whole.length })
    for (let cut = 0; cut < whole.length; cut += 1) expect(readAnswer(whole.subarray(0, cut))).toBeNull()
    const chunked = Buffer.from(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\nnext',
    )
    expect(readAnswer(chunked)).toMatchObject({ body: 'abcd', size: chunked.length - 4 })
    const untilEnd = Buffer.from('HTTP/1.1 200 OK\r\n\r\nabc')
    expect(readAnswer(untilEnd)).toBeNull()
    expect(readAnswer(untilEnd, { isEnd: true })?.body).toBe('abc')
    expect(readAnswer(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'))?.body).toBe('')
    expect(readAnswer(wire(200, 'xyz').subarray(0, -3), { isHead: true })?.body).toBe('')
    expect(readAnswer(Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), whole]))?.status).toBe(200)
  })

  test('that is none is told of', () => {
    expect(() => readAnswer(Buffer.from('hello\r\n\r\n'))).toThrow('no status line')
    expect(() => readAnswer(Buffer.from('HTTP/1.1 200 OK\r\nhello\r\n\r\n'))).toThrow('no header line')
  })
})

describe('the judge of answers', () => {
  test('accepts what is in the envelope, and every success', () => {
    expect(judged(wire(200, 'anything'))).toBeNull()
    expect(judged(wire(400, refusal('body: must be JSON.')))).toBeNull()
    expect(judged(wire(400, refusal('The origin “at x (/home/y.ts:1)” is not known.')))).toBeNull()
    expect(
      judged(wire(502, '{"executionId":"e","error":{"message":"m"},"durationMs":1}'), { mayFailAsCapability: true }),
    ).toBeNull()
    expect(judged(wire(200, '{"endpoint":"http://127.0.0.1:7007/svc"}'))).toBeNull()
    expect(faultOf({ kind: 'closed' }, { ...ASKED, mayCloseUnanswered: true })).toBeNull()
  })

  test.each([
    ['server-error', wire(500, refusal('Something went wrong.', 'internal_error'))],
    ['server-error', wire(502, '{"executionId":"e","error":{"message":"m"},"durationMs":1}')],
    ['envelope', wire(400, 'Bad Request')],
    ['envelope', wire(400, refusal('x', 'some_code'))],
    ['envelope', wire(400, '{"error":{"code":"not_found","message":"x","stack":"y"}}')],
    ['envelope', wire(400, refusal('x'), `${ID}\r\ncontent-type: text/html`)],
    ['envelope', wire(200, '{}', 'content-type: application/json')],
    ['internals', wire(400, refusal('TypeError: Cannot read properties of undefined'))],
    ['internals', wire(400, refusal('SQLITE_BUSY: database is locked'))],
    ['internals', wire(404, refusal('no such file: /tmp/svc/x', 'not_found'))],
    ['internals', wire(400, refusal('connecting to db-host-7 failed'))],
    ['internals', wire(400, refusal('connecting to “127.0.0.1:7007” failed'))],
    ['internals', wire(400, refusal('“a” is no SQLITE_OK in “b”'))],
    ['internals', wire(400, refusal('"a" at run (/srv/x.js) in "b"'))],
    ['internals', wire(200, '{"output":{"trace":"at run (/srv/x.js:1)"}}')],
    ['internals', wire(200, '{"database":"db-host-7"}')],
  ])('refuses as %s', (kind, bytes) => {
    expect(judged(bytes)).toBe(kind)
  })

  test('refuses internals in what is told of a capability’s failure', () => {
    const failure = (message: string) =>
      wire(502, JSON.stringify({ executionId: 'e', error: { message }, durationMs: 1 }))
    for (const message of ['connect ECONNREFUSED', 'TypeError: x', '127.0.0.1:7007 did not answer', 'on db-host-7']) {
      expect(judged(failure(message), { mayFailAsCapability: true })).toBe('internals')
    }
  })

  test('refuses silence, and a failure of a capability with a body of another shape', () => {
    expect(faultOf({ kind: 'silent' }, { ...ASKED, mayCloseUnanswered: true })?.kind).toBe('unanswered')
    expect(faultOf({ kind: 'closed' }, ASKED)?.kind).toBe('unanswered')
    expect(judged(wire(502, refusal('x', 'execution_error')), { mayFailAsCapability: true })).toBe('envelope')
  })

  test('lets files name what programs name, and nothing of this installation, and refuses in the envelope', () => {
    expect(judged(wire(200, 'throw new TypeError()'))).toBe('internals')
    expect(judged(wire(200, 'throw new TypeError()'), { manner: 'files' })).toBeNull()
    expect(judged(wire(200, 'db-host-7'), { manner: 'files' })).toBe('internals')
    expect(judged(wire(404, 'no such file'), { manner: 'files' })).toBe('envelope')
  })

  test('asks the operators’ port for no envelope, and for no fault either', () => {
    const plain = (status: number, body: string) => judged(wire(status, body, 'a: b'), { manner: 'plain' })
    expect(plain(200, 'svc_database_seconds{engine="sqlite"} 1')).toBeNull()
    expect(plain(404, '{"message":"Route GET:/x not found"}')).toBeNull()
    expect(plain(400, 'TypeError: x')).toBe('internals')
    expect(plain(200, 'db-host-7')).toBe('internals')
    expect(plain(503, '{"ready":false}')).toBe('server-error')
  })
})

test('a request goes out as it is given, with the length of its body unless it says one itself', () => {
  const request = jsonRequest('POST', '/x', { key: 'k', body: { a: 'é' } })
  const text = toBytes(request).toString('utf8')
  expect(text).toContain('authorization: Bearer k\r\n')
  expect(text).toMatch(/content-length: 10\r\n\r\n\{"a":"é"\}$/)
  const lying = toBytes({ ...request, headers: [...request.headers, ['Content-Length', '3']] }).toString('latin1')
  expect(lying.match(/content-length/gi)).toHaveLength(1)
})
