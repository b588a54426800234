import { createServer } from 'node:net'
import { type DoctorCheck, DoctorReport } from '@svc/contract'
import { compressedAnswer, type EndpointFault, listenOnFreePort } from '@svc/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { DispatcherDeps } from '../../src/dispatch/dispatch.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { answering, type Breakage, IDENTITY, json, sha256, startReceiver } from './broken-receiver.ts'
import { EXPIRED_TLS, LOCALHOST_TLS } from './localhost-tls.ts'
import { setUpDispatcher } from './setup.ts'

const PATIENT_MS = 5000
const HURRIED_MS = 400
const MiB = 1024 * 1024
const TEN_MINUTES = 600_000

interface Setting extends Partial<DispatcherDeps> {
  dispatchMs?: number
  previous?: string
}

async function examine(url: string, { previous, ...options }: Setting = {}): Promise<DoctorReport> {
  const { dispatcher } = setUpDispatcher({ clock: Date, dispatchMs: PATIENT_MS, ...options })
  let nonces = 0
  const secrets = {
    current: new Secret(IDENTITY.secret),
    previous: previous === undefined ? null : { secret: new Secret(previous), expiresAt: Date.now() + 60_000 },
  }
  const target = { ownerId: 'owner', runtimeId: IDENTITY.runtimeId, endpoint: url, secrets }
  const ids = () => ({ executionId: 'exec_1', callId: `call_${++nonces}` })
  return DoctorReport.parse(await dispatcher.examine({ target, ids }))
}

const failures = ({ rows }: DoctorReport) => rows.filter(({ ok }) => !ok)
const namesOf = (report: DoctorReport) => failures(report).map(({ check }) => check)

/** A fault, the rows that it fails, and what the first of them says to change. */
type Case = readonly [fault: string, breakage: Breakage, failed: readonly DoctorCheck[], mend: RegExp]

const fault = (committed: EndpointFault): Breakage => answering(committed)
const instead = (status: number, body: unknown, type = 'application/json'): Breakage => ({
  instead: (response) => response.writeHead(status, { 'content-type': type }).end(String(body)),
})
const everyFalse: readonly DoctorCheck[] = [
  'replay',
  'tampered-body',
  'stale-timestamp',
  'future-timestamp',
  'wrong-secret',
  'other-runtime',
  'loose-signature',
  'missing-header',
]

const UNCODED: Pick<Breakage, 'refused'> = { refused: (response, status) => response.writeHead(status).end() }

const ACCEPTING: readonly Case[] = [
  ['accepts replays', { ignoresNonce: true }, ['replay'], /Claim the nonce/],
  [
    'accepts a tampered body, since it verifies no signature',
    { matches: () => true },
    ['tampered-body', 'wrong-secret', 'loose-signature'],
    /digest over the very bytes/,
  ],
  [
    'accepts spaces that were added to the body',
    { digested: (body) => sha256(body.trim()) },
    ['raw-body', 'tampered-body'],
    /bytes of the body as they arrived/,
  ],
  ['compares the first eight digits', prefix(8), ['loose-signature'], /compare all of them/],
  ['compares as many digits as are given', given(), ['loose-signature'], /compare all of them/],
  ['takes a signature in upper case', caseless(), ['loose-signature'], /lower-case hex digits/],
  ['takes a signature with more behind it', longer(), ['loose-signature'], /64 lower-case/],
  [
    'ignores the timestamp',
    { toleranceMs: { past: Infinity, future: Infinity } },
    ['stale-timestamp', 'future-timestamp'],
    /more than five minutes before/,
  ],
  ['takes any time ahead', { toleranceMs: { future: Infinity } }, ['future-timestamp'], /five minutes after/],
  ['tolerates a quarter of an hour', { toleranceMs: { past: 900_000 } }, ['stale-timestamp'], /five minutes before/],
  ['answers for any runtime', { ignoresRuntime: true }, ['other-runtime'], /Compare x-svc-runtime-id/],
  ['does without a nonce', { ignoresMissing: ['nonce'] }, ['missing-header'], /one of the four/],
  ['answers 200 to everything', instead(200, '{"output":{"ok":true}}'), everyFalse, /Claim the nonce/],
  [
    'answers 404 unknown_capability to everything',
    instead(404, '{"error":"unknown_capability"}'),
    everyFalse,
    /Claim the nonce/,
  ],
  [
    'parses before it verifies',
    { before: (body) => (isJson(body) ? null : [400, 'invalid_json']) },
    ['verify-first'],
    /before a parser reads the body/,
  ],
  [
    'fails over a body that it cannot parse',
    { before: (body) => (isJson(body) ? null : [500, 'internal_error']) },
    ['verify-first'],
    /before a parser reads the body/,
  ],
  [
    'verifies JSON that it has written again',
    { digested: (body) => sha256(isJson(body) ? JSON.stringify(JSON.parse(body)) : body) },
    ['raw-body', 'tampered-body'],
    /Verify the bytes of the body as they arrived/,
  ],
  [
    'refuses with 403',
    { refused: (response, status, error) => json(response, status === 401 ? 403 : status, { error }) },
    ['wrong-secret'],
    /answer 401/,
  ],
  [
    'limits the rate of refused calls',
    { refused: (response) => json(response, 429, {}) },
    everyFalse,
    /run the doctor again/,
  ],
]

const REFUSING: readonly Case[] = [
  ['has another secret', { secret: 'another' }, ['genuine-call'], /runtime’s id and signing secret/],
  ['has another secret, and says no code', { secret: 'another', ...UNCODED }, ['genuine-call'], /signing secret/],
  ['has another runtime’s id', { runtimeId: 'rt_other0000001' }, ['genuine-call'], /SVC_RUNTIME_ID/],
  ['has a clock ten minutes ahead', { clockAheadMs: TEN_MINUTES }, ['clock'], /NTP/],
  ['has a clock ten minutes behind', { clockAheadMs: -TEN_MINUTES, ...UNCODED }, ['clock'], /NTP/],
  ['has the hour of another zone', { clockAheadMs: 3_600_000, ...UNCODED }, ['clock'], /UTC/],
  ['looks for capitalized headers', { headerOf: capitalized, ...UNCODED }, ['genuine-call'], /without regard to case/],
  [
    'looks for headers of another name',
    { headerOf: ({ headers }, name) => String(headers[name.replace('svc', 'srv')] ?? '') },
    ['genuine-call'],
    /proxies pass those on/,
  ],
  [
    'decodes the secret',
    { key: (secret) => Buffer.from(secret, 'base64'), ...UNCODED },
    ['genuine-call'],
    /text of the secret/,
  ],
  ['signs the body itself', { digested: (body) => body }, ['genuine-call'], /SHA-256 digest of the body/],
  ['wants a log-in', instead(401, 'Log in', 'text/plain'), ['genuine-call'], /log-in or a firewall/],
  ['fails always', instead(500, 'Internal Server Error'), ['genuine-call'], /endpoint’s? .*log|log of the endpoint/],
  ['has no credentials', instead(503, '{"error":"not_configured"}'), ['genuine-call'], /SVC_RUNTIME_SECRET/],
  ['is served elsewhere', instead(404, '<h1>Not found</h1>', 'text/html'), ['genuine-call'], /path of the endpoint/],
  ['takes no POST', instead(405, ''), ['genuine-call'], /take POST/],
  ['answers 204', instead(204, ''), ['genuine-call'], /status 200/],
  [
    'redirects',
    { instead: (response) => response.writeHead(308, { location: 'https://www.example.com/svc' }).end() },
    ['genuine-call'],
    /address that the redirect leads to/,
  ],
  [
    'speaks another protocol',
    fault({ fault: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2p1\r\n' }),
    ['genuine-call'],
    /HTTP\/1.1/,
  ],
]

const ANSWERING: readonly Case[] = [
  ['answers HTML', fault({ fault: 'html' }), ['answer'], /JSON object/],
  ['answers without a body', fault({ fault: 'status', status: 200, body: '' }), ['answer'], /JSON object/],
  ['answers no JSON', fault({ fault: 'status', status: 200, body: 'ok' }), ['answer'], /JSON object/],
  ['answers without output', fault({ fault: 'status', status: 200, body: '{"ok":true}' }), ['answer'], /"output"/],
  [
    'answers JSON as text',
    fault({ fault: 'status', status: 200, headers: { 'content-type': 'text/plain' }, body: '{"output":1}' }),
    ['answer'],
    /content-type: application\/json/,
  ],
  ['compresses', compressed(), ['answer'], /accept-encoding: identity/],
  ['answers a megabyte', fault({ fault: 'huge', bytes: MiB, announced: true }), ['answer'], /with less/],
  ['sends chunks for ever', fault({ fault: 'endless' }), ['answer'], /with less/],
  ['breaks off', fault({ fault: 'cut', at: 'inside-body', how: 'reset' }), ['answer'], /ends connections/],
  [
    'closes the connection',
    fault({ fault: 'cut', at: 'before-head', how: 'reset' }),
    ['connection'],
    /ends connections/,
  ],
]

const HURRIED: readonly Case[] = [
  ['is silent', fault({ fault: 'silence' }), ['genuine-call'], /Answer within seconds/],
  ['drips', fault({ fault: 'drip', everyMs: 5 }), ['answer'], /end the answer/],
  [
    'is slow',
    { accepted: (response) => void setTimeout(() => json(response, 200, { output: 1 }), HURRIED_MS / 2) },
    ['latency'],
    /Keep an instance running/,
  ],
]

const TLS: readonly Case[] = [
  ['has a certificate of its own making', { tls: LOCALHOST_TLS }, ['tls'], /public authority/],
]

const CASES = [...ACCEPTING, ...REFUSING, ...ANSWERING, ...TLS].map((each) => [...each, PATIENT_MS] as const)
const ALL = [...CASES, ...HURRIED.map((each) => [...each, HURRIED_MS] as const)]

describe('the doctor', () => {
  // holds DOC-03
  test.each(ALL)('an endpoint that %s fails those rows alone, with what to change', async (...given) => {
    const [, breakage, failed, mend, dispatchMs] = given
    const { url } = await startReceiver(breakage)
    const report = await examine(url, { dispatchMs })
    expect(report.ok).toBe(false)
    expect(namesOf(report)).toEqual(failed)
    expect(failures(report)[0]?.mend).toMatch(mend)
    for (const row of report.rows) expect(row.mend === null).toBe(row.ok)
    expect(JSON.stringify(report)).not.toContain(IDENTITY.secret)
  })

  test.each([
    ['expired', EXPIRED_TLS, 'localhost', /has expired/],
    ['of another name', LOCALHOST_TLS, '127.0.0.1', /for another name/],
  ] as const)('a certificate that is %s is told from one that nobody trusts', async (_, tls, host, message) => {
    const { url } = await startReceiver({ tls })
    const report = await examine(url.replace('127.0.0.1', host), { trustedCertificates: tls.cert })
    expect(namesOf(report)).toEqual(['tls'])
    expect(failures(report)[0]?.message).toMatch(message)
  })

  // holds DOC-02
  test('a receiver that does what docs/reference/signing.md asks for passes every row', async () => {
    const { url } = await startReceiver()
    const report = await examine(url)
    expect(failures(report)).toEqual([])
    expect(report.rows.map(({ check }) => check)).toEqual(PASSED)
  })

  test('over TLS it tells the protocol and until when the certificate is valid', async () => {
    const { url } = await startReceiver({ tls: LOCALHOST_TLS })
    const trusted = { trustedCertificates: LOCALHOST_TLS.cert }
    const report = await examine(url.replace('127.0.0.1', 'localhost'), trusted)
    expect(failures(report)).toEqual([])
    expect(report.rows.find(({ check }) => check === 'tls')?.message).toMatch(/TLSv1\.3, valid until .* 2120 GMT/)
  })

  // holds DOC-02
  test.each([
    ['404 unknown_capability', 404, '{"error":"unknown_capability"}'],
    ['404 in words of its own', 404, 'No such thing'],
    ['a capability’s error', 200, '{"output":null,"error":{"message":"There is no such capability."}}'],
  ])('a receiver that knows no probe passes: %s', async (_, status, body) => {
    const head = { 'content-type': 'application/json' }
    const { url } = await startReceiver({ accepted: (response) => response.writeHead(status, head).end(body) })
    expect(failures(await examine(url))).toEqual([])
  })

  test('a clock that is four minutes off is told by the Date header, before calls fail', async () => {
    const date = new Date(Date.now() + 240_000).toUTCString()
    const head = { 'content-type': 'application/json', date }
    const { url } = await startReceiver({
      clockAheadMs: 240_000,
      accepted: (response) => response.writeHead(200, head).end('{"output":1}'),
    })
    const report = await examine(url)
    expect(namesOf(report)).toEqual(['clock'])
    expect(failures(report)[0]?.message).toMatch(/(239|240) s ahead/)
  })

  test('during a rotation the previous secret passes, too', async () => {
    const { url } = await startReceiver({ secret: 'the-previous-one' })
    const report = await examine(url, { previous: 'the-previous-one' })
    expect(failures(report)).toEqual([])
    expect(report.rows.find(({ check }) => check === 'genuine-call')?.message).toMatch(/give the endpoint the new one/)
  })

  test('a nonce store that has just started gets the genuine call again', async () => {
    const cold = [true]
    const { url } = await startReceiver({ before: () => (cold.pop() ? [401, 'nonce_store_cold'] : null) })
    expect(failures(await examine(url))).toEqual([])
  })

  // holds DOC-04
  test('an address that may not be called reads as one that leads nowhere', async () => {
    const { url, requests } = await startReceiver()
    const refused = await examine(url, { allowLocalEndpoints: false })
    const nowhere = await examine('https://nowhere.example/svc')
    const named = url.replace('http://127.0.0.1', 'https://shop.example')
    for (const inside of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1']) {
      expect(await examine(named, { resolve: async () => ['93.184.215.14', inside] })).toEqual(nowhere)
    }
    const { url: closed, close } = await listenOnFreePort(createServer())
    await close()
    expect(namesOf(refused)).toEqual(['connection'])
    expect(refused).toEqual(nowhere)
    expect(await examine(`${closed}/svc`)).toEqual(nowhere)
    expect(await examine('https://10.0.0.1/svc')).toEqual(nowhere)
    expect(requests()).toBe(0)
  })

  test('an address that is not https is not called', async () => {
    expect(namesOf(await examine('http://shop.example/svc'))).toEqual(['endpoint'])
  })

  // holds DOC-05
  test('it leaves the health of the endpoint as it was, logs nothing, and ends its connections', async () => {
    const { url } = await startReceiver(instead(500, ''))
    const { dispatcher, lines } = setUpDispatcher({ clock: Date })
    const endpoint = { runtimeId: IDENTITY.runtimeId, endpoint: url }
    const secrets = { current: new Secret(IDENTITY.secret), previous: null }
    const examination = { target: { ...endpoint, ownerId: 'owner', secrets }, ids }
    for (let runs = 0; runs < 3; runs += 1) await dispatcher.examine(examination)
    expect(dispatcher.healthOf(endpoint)).toBe('unknown')
    expect(lines).toEqual([])
  })

  // holds DOC-04
  test('an endpoint that never answers ends it after the time of a call', async () => {
    const server = createServer((socket) => socket.on('error', () => socket.destroy()))
    const { url, close } = await listenOnFreePort(server)
    onTestFinished(close)
    const startedAt = performance.now()
    expect(namesOf(await examine(`${url}/svc`, { dispatchMs: HURRIED_MS }))).toEqual(['genuine-call'])
    expect(performance.now() - startedAt).toBeLessThan(HURRIED_MS + 1000)
  })

  // holds DOC-04
  test('an endpoint that answers the genuine call alone ends it after the time of three', async () => {
    const answered: string[] = []
    const { url } = await startReceiver({
      instead: (response) =>
        void (answered.length === 0 && answered.push('first') && json(response, 200, { output: 1 })),
    })
    const startedAt = performance.now()
    const report = await examine(url, { dispatchMs: HURRIED_MS })
    expect(performance.now() - startedAt).toBeLessThan(3 * HURRIED_MS + 1000)
    expect(namesOf(report)).toContain('replay')
    expect(failures(report)[0]?.message).toMatch(/did not answer in time/)
  })
})

const PASSED: readonly DoctorCheck[] = [
  ...([
    'endpoint',
    'connection',
    'tls',
    'genuine-call',
    'answer',
    'latency',
    'clock',
    'raw-body',
    'verify-first',
  ] as const),
  ...everyFalse,
]

const ids = () => ({ executionId: 'exec_1', callId: 'call_1' })

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function prefix(digits: number): Breakage {
  return { matches: (right, given) => right.slice(0, digits) === given.slice(0, digits) }
}

function given(): Breakage {
  return { matches: (right, signature) => right.startsWith(signature) }
}

function longer(): Breakage {
  return { matches: (right, signature) => signature.startsWith(right) }
}

function caseless(): Breakage {
  return { matches: (right, signature) => right === signature.toLowerCase() }
}

function compressed(): Breakage {
  return fault(compressedAnswer('gzip', 10))
}

function capitalized({ rawHeaders }: { rawHeaders: string[] }, name: string): string | undefined {
  const title = name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())
  const at = rawHeaders.indexOf(title)
  return at === -1 ? undefined : rawHeaders[at + 1]
}
