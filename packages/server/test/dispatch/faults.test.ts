import { createServer } from 'node:net'
import { compressedAnswer, type EndpointFault, listenOnFreePort } from '@svc/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FAILURES, unknownOutcome } from '../../src/dispatch/failures.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { callOf, setUpDispatcher, setUpEndpoint, TOKEN, targetOf } from './setup.ts'

// Short where only the deadline can end the call, long where something else must end it first.
const STALL_MS = 400
const PATIENT_MS = 5000
const MARGIN_MS = 1000
const MiB = 1024 * 1024

const { brokenOff, encoded, notHttp, redirect, timeout, tooDeep, tooLarge, unusable } = FAILURES

const FAULTS: [string, EndpointFault, string][] = [
  ['silence', { fault: 'silence' }, timeout.message],
  ['a head and no body', { fault: 'stalled-body' }, timeout.message],
  ['one byte at a time', { fault: 'drip', everyMs: 5 }, timeout.message],
  ['a reset before the head', { fault: 'cut', at: 'before-head', how: 'reset' }, brokenOff.message],
  ['a reset inside the head', { fault: 'cut', at: 'inside-head', how: 'reset' }, brokenOff.message],
  ['a reset inside the body', { fault: 'cut', at: 'inside-body', how: 'reset' }, brokenOff.message],
  ['an end before the head', { fault: 'cut', at: 'before-head', how: 'end' }, brokenOff.message],
  ['an end inside the head', { fault: 'cut', at: 'inside-head', how: 'end' }, brokenOff.message],
  ['an end inside the body', { fault: 'cut', at: 'inside-body', how: 'end' }, brokenOff.message],
  ['fewer bytes than announced', { fault: 'short-body' }, brokenOff.message],
  ['a bad chunk', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n'), notHttp.message],
  ['a negative length', raw('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{"output":1}'), notHttp.message],
  [
    'two lengths',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 12\r\n\r\n{"output":1}'),
    notHttp.message,
  ],
  ['another protocol', raw('SSH-2.0-OpenSSH_9.2p1\r\n'), notHttp.message],
  [
    'an upgrade',
    raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    brokenOff.message,
  ],
  ['100 Continue, again and again', raw('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)), brokenOff.message],
  ['103 Early Hints, again and again', raw(earlyHints(1000)), notHttp.message],
  ['ten megabytes, announced', { fault: 'huge', bytes: 10 * MiB, announced: true }, tooLarge.message],
  ['ten megabytes, in chunks', { fault: 'huge', bytes: 10 * MiB, announced: false }, tooLarge.message],
  ['a body without end', { fault: 'endless' }, tooLarge.message],
  ['a gzip bomb', compressedAnswer('gzip', 20 * MiB), encoded.message],
  ['a small gzip answer', compressedAnswer('gzip', 10), encoded.message],
  ['a brotli answer', compressedAnswer('br', 10), encoded.message],
  ['a deflate answer', compressedAnswer('deflate', 10), encoded.message],
  ['encodings in a chain', raw('HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\n\r\n{"output":1}'), encoded.message],
  [
    'encodings on two lines',
    raw('HTTP/1.1 200 OK\r\ncontent-encoding: identity\r\ncontent-encoding: gzip\r\n\r\n{"output":1}'),
    encoded.message,
  ],
  ['HTML', { fault: 'html' }, unusable.message],
  ['nothing', { fault: 'status', status: 200, body: '' }, unusable.message],
  ['five thousand levels', { fault: 'deep', levels: 5000 }, tooDeep.message],
  ['3,000 long headers', { fault: 'many-headers', count: 3000, bytesEach: 100 }, notHttp.message],
  ['one header of 100 KB', { fault: 'many-headers', count: 1, bytesEach: 100_000 }, notHttp.message],
  ...[201, 202, 204, 206, 400, 403, 404, 405, 408, 413, 418, 429, 500, 502, 503, 504, 599].map(answeredWith),
]

function raw(bytes: string): EndpointFault {
  return { fault: 'raw', bytes }
}

function earlyHints(count: number): string {
  return 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n'.repeat(count)
}

function answeredWith(status: number): [string, EndpointFault, string] {
  const where = status === 404 ? ': it does not serve “search-products”' : ''
  const message = `The endpoint answered with status ${status}${where}.`
  return [`status ${status}`, { fault: 'status', status, body: status === 204 ? '' : '{"output":1}' }, message]
}

function deadlineFor(message: string): number {
  return message === timeout.message ? STALL_MS : PATIENT_MS
}

describe('a misbehaving endpoint', () => {
  // holds OUT-05, OUT-09
  test.each(FAULTS)('%s ends within the deadline, as one sentence, tried once', async (_, fault, message) => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => fault } })
    const dispatchMs = deadlineFor(message)
    const { dispatcher, tries, lines } = setUpDispatcher({ dispatchMs })
    const startedAt = performance.now()
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(performance.now() - startedAt).toBeLessThan(dispatchMs + MARGIN_MS)
    const told = { ok: false, durationMs: 0 }
    const unknown = { message: unknownOutcome({ message, transport: 'failed' }), unknownAt: expect.any(Number) }
    // These say that the capability did not run, or failed.
    const isKnown = /status (4..|500|503|599)/.test(message)
    expect(result).toEqual({ ...told, ...(isKnown ? { message } : unknown) })
    expect(endpoint.effects).toHaveLength(1)
    expect(tries()).toBe(1)
    expect(JSON.stringify([result, lines])).not.toContain(TOKEN)
    expect(lines.join()).not.toContain(endpoint.secret)
  })

  test.each(FAULTS)('%s does not affect the next call', async (_, fault, message) => {
    const faults = [fault]
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': ({ callId }) => faults.pop() ?? { output: callId } },
    })
    const { dispatcher } = setUpDispatcher({ dispatchMs: deadlineFor(message) })
    await dispatcher.dispatch(targetOf(endpoint), callOf())
    const call = callOf()
    expect(await dispatcher.dispatch(targetOf(endpoint), call)).toMatchObject({
      ok: true,
      output: JsonDocument.of(call.callId),
    })
  })

  test('ten early hints come before an answer that is taken, and no more than ten', async () => {
    const answerAfter = (count: number) =>
      raw(`${earlyHints(count)}HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"output":1}`)
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => answerAfter(10) } })
    const { dispatcher } = setUpDispatcher()
    expect(await dispatcher.dispatch(targetOf(endpoint), callOf())).toMatchObject({
      ok: true,
      output: JsonDocument.of(1),
    })
    endpoint.script('search-products', () => answerAfter(11))
    expect(await dispatcher.dispatch(targetOf(endpoint), callOf())).toMatchObject({
      ok: false,
      message: unknownOutcome(notHttp),
    })
  })

  test('3,000 short headers are within the limit, and the answer under them is taken', async () => {
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': () => ({ fault: 'many-headers', count: 1500, bytesEach: 1 }) },
    })
    const { dispatcher } = setUpDispatcher()
    expect(await dispatcher.dispatch(targetOf(endpoint), callOf())).toMatchObject({
      ok: true,
      output: JsonDocument.of(true),
    })
  })

  // holds OUT-09
  test('an answer of just under a megabyte arrives complete', async () => {
    const output = 'x'.repeat(MiB - 100)
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output }) } })
    const { dispatcher } = setUpDispatcher()
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(result.ok && result.output.value === output).toBe(true)
  })

  test('an unsolicited second answer is never given to the next call', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{"output":"mine"}'
    const poison = 'HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n{"output":"poison"}'
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => socket.write(answer + poison))
    })
    const { url, close } = await listenOnFreePort(server)
    onTestFinished(close)
    const { dispatcher } = setUpDispatcher()
    const target = targetOf({ url: `${url}/`, runtimeId: 'rt_poison01', secret: 'x' })
    for (let count = 0; count < 20; count += 1) {
      const result = await dispatcher.dispatch(target, callOf())
      if (result.ok) expect(result.output.value).toBe('mine')
    }
  })
})

describe('redirects', () => {
  // holds OUT-06
  test.each([300, 301, 302, 303, 307, 308])('%i is not followed: its target is never contacted', async (status) => {
    const elsewhere = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 'stolen' }) } })
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': () => ({ fault: 'redirect', status, location: elsewhere.url }) },
    })
    const { dispatcher } = setUpDispatcher()
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(result).toEqual({ ok: false, message: redirect.message, durationMs: 0 })
    expect(elsewhere.connections).toBe(0)
    expect(endpoint.effects).toHaveLength(1)
  })

  test('a refresh or alt-svc header in a good answer is not followed either', async () => {
    const elsewhere = await setUpEndpoint()
    const headers = {
      refresh: `0; url=${elsewhere.url}`,
      'alt-svc': `h2="127.0.0.1:${elsewhere.port}"`,
      location: elsewhere.url,
    }
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': () => ({ fault: 'status', status: 200, headers, body: '{"output":1}' }) },
    })
    const { dispatcher } = setUpDispatcher()
    for (let count = 0; count < 3; count += 1) {
      expect(await dispatcher.dispatch(targetOf(endpoint), callOf())).toMatchObject({ ok: true })
    }
    expect(elsewhere.connections).toBe(0)
  })
})

describe('memory', () => {
  test.each<[string, EndpointFault, number]>([
    ['bodies without end', { fault: 'endless' }, PATIENT_MS],
    ['gzip bombs', compressedAnswer('gzip', 5 * MiB), PATIENT_MS],
    ['drips', { fault: 'drip', everyMs: 1 }, 2 * STALL_MS],
  ])('200 calls at once that meet %s grow the process by less than 150 MB', async (_, fault, dispatchMs) => {
    const endpoint = await setUpEndpoint()
    const { dispatcher } = setUpDispatcher({ dispatchMs })
    const runtimes = ['rt_memory01', 'rt_memory02', 'rt_memory03', 'rt_memory04']
    endpoint.script('search-products', () => fault)
    const before = process.memoryUsage().rss
    for (const runtimeId of runtimes) {
      endpoint.trust({ runtimeId })
      const target = { ...targetOf(endpoint), runtimeId }
      const results = await Promise.all(Array.from({ length: 50 }, () => dispatcher.dispatch(target, callOf())))
      expect(results.filter((result) => result.ok)).toEqual([])
    }
    // A drip's deadline may pass on a slow machine before the last calls have arrived.
    expect(endpoint.effects.length).toBeGreaterThan(100)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MiB)
    await dispatcher.close()
    await endpoint.whenIdle()
  })
})
