import { describe, expect, test } from 'vitest'
import { judgeGreed, judgeMemory } from '../src/fuzz/fairness/judge-fairness.ts'
import { brokenLogLines } from '../src/fuzz/headers-and-cursors/inject.ts'
import { isPolluted } from '../src/fuzz/headers-and-cursors/prototypes.ts'
import { originFault } from '../src/fuzz/origins/judge-origin.ts'
import { capacityOf, judgeOverload } from '../src/fuzz/overload/judge-overload.ts'
import { readOperations } from '../src/fuzz/requests/api-operations.ts'
import { isLetInFromElsewhere } from '../src/fuzz/requests/browser.ts'
import { hiddenTargets } from '../src/fuzz/requests/hidden-routes.ts'
import { mutate } from '../src/fuzz/requests/mutate.ts'
import { judgeSchemas, type SchemaRun } from '../src/fuzz/schemas/judge-schemas.ts'
import { judgeSlow, type SlowRun } from '../src/fuzz/slow-clients/judge-slow.ts'
import { isInside } from '../src/fuzz/ssrf/canaries.ts'
import { answerQuery } from '../src/fuzz/ssrf/dns-server.ts'
import { judgeSsrf, type SsrfReport } from '../src/fuzz/ssrf/report.ts'
import { drawSpellings } from '../src/fuzz/ssrf/spellings.ts'
import { readAnswer } from '../src/fuzz/support/raw-http.ts'
import { jsonRequest, type RawRequest, toBytes } from '../src/fuzz/support/raw-request.ts'
import { createRandom } from '../src/support/random.ts'
import type { Check } from '../src/support/scenario.ts'

/** What a judge of a run complains of. */
function missed(checks: readonly Check[]): string[] {
  return checks.filter(({ passed }) => !passed).map(({ what }) => what)
}

describe('operations', () => {
  const operation = { operationId: 'a', parameters: [{ in: 'query', name: 'limit' }], security: [{ deployKey: [] }] }

  test('are read with the plane and the parameters of each', () => {
    expect(readOperations({ paths: { '/x': { get: operation } }, components: { schemas: {} } })).toEqual([
      {
        operationId: 'a',
        method: 'GET',
        path: '/x',
        plane: 'deployKey',
        pathParameters: [],
        queryParameters: ['limit'],
        example: undefined,
      },
    ])
  })

  test('with a body show one, composed of the examples of its fields', () => {
    const schema = { $ref: '#/components/schemas/Body' }
    const requestBody = { content: { 'application/json': { schema } } }
    const Body = { properties: { slug: { type: 'string', examples: ['shop'] }, size: { type: 'integer', maximum: 5 } } }
    const document = { paths: { '/x': { post: { ...operation, requestBody } } }, components: { schemas: { Body } } }
    expect(readOperations(document)[0]?.example).toEqual({ slug: 'shop', size: 5 })
  })

  test('may be answered by a bare end of the connection only where no route could have answered', () => {
    const good = jsonRequest('POST', '/v1/x', { key: 'k', body: { a: 1 } })
    const random = createRandom(3)
    const drawn = Array.from({ length: 3_000 }, () => mutate(good, random, [])).filter(
      ({ mutation }) => mutation === 'method',
    )
    const isBroken = (name: string) => drawn.find(({ request }) => request.method === name)?.isFramingBroken
    expect(['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].map(isBroken)).toEqual(Array(6).fill(false))
    expect(['CONNECT', 'FOO', 'get', 'GÉT'].map(isBroken)).toEqual(Array(4).fill(true))
  })

  test('are changed the same way by the same seed, and in many ways by many', () => {
    const good = jsonRequest('POST', '/v1/x', { key: 'k', body: { a: [1, { b: 'c' }] } })
    const drawn = (seed: number) => {
      const random = createRandom(seed)
      return Array.from({ length: 300 }, () => toBytes(mutate(good, random, ['limit']).request).toString('latin1'))
    }
    expect(drawn(1)).toEqual(drawn(1))
    expect(new Set(drawn(2)).size).toBeGreaterThan(200)
  })
})

describe('a change by cookie', () => {
  const ORIGIN = 'http://127.0.0.1:8787'
  const isLetIn = (
    headers: RawRequest['headers'],
    {
      status = 200,
      method = 'POST',
      isFramingBroken = false,
    }: { status?: number; method?: string; isFramingBroken?: boolean } = {},
  ) => {
    const request = jsonRequest(method, '/v1/x', { headers: [['cookie', 'svc_session=a'], ...headers], body: {} })
    return isLetInFromElsewhere({ request, mutation: 'none', isFramingBroken }, status, ORIGIN)
  }

  test('that a page of another origin may have sent must not be let in', () => {
    const others: RawRequest['headers'][] = [
      [],
      [['origin', 'https://evil.example']],
      [['Origin', 'null']],
      [['origin', '']],
      [
        ['origin', 'https://evil.example'],
        ['sec-fetch-site', 'same-origin'],
      ],
      [
        ['origin', ORIGIN],
        ['origin', ORIGIN],
      ],
      [['sec-fetch-site', 'same-site']],
    ]
    expect(others.map((headers) => isLetIn(headers))).toEqual(others.map(() => true))
    expect(['PUT', 'PATCH', 'DELETE'].map((method) => isLetIn([], { method }))).toEqual([true, true, true])
  })

  test('that comes from a page of the service’s own, carries another credential, changes nothing or is refused, may', () => {
    expect(isLetIn([['origin', ORIGIN]])).toBe(false)
    expect(isLetIn([['Sec-Fetch-Site', 'same-origin']])).toBe(false)
    expect(isLetIn([['authorization', 'Bearer x']])).toBe(false)
    expect(isLetIn([], { method: 'GET' })).toBe(false)
    expect(isLetIn([], { status: 403 })).toBe(false)
    expect(isLetIn([], { isFramingBroken: true })).toBe(false)
  })
})

describe('routes beside the description', () => {
  const values = new Map([
    ['runtimeId', 'rt_1'],
    ['dashboardFile', 'assets/a.js'],
    ['testCheckoutId', 'co_1'],
    ['testCheckoutToken', 'a b'],
  ])
  const none = { public: undefined, publicKey: undefined, deployKey: undefined, accountKey: undefined }
  const scenery = { keys: none, values, inPaths: new Map() }

  test('have good requests, each at its own door', () => {
    const targets = hiddenTargets({ service: 1, operations: 2, paid: 3 })
    const random = createRandom(1)
    const asked = targets.map((target) => {
      const { method, target: path } = target.request(scenery, random)
      return `${target.port} ${method} ${path}`
    })
    expect(asked).toContain('1 GET /dashboard/assets/a.js')
    expect(asked).toContain('1 POST /v1/billing/test-checkout/co_1/confirm')
    expect(asked).toContain('2 GET /metrics')
    expect(asked).toContain('3 POST /v1/billing/webhook')
    expect(new Set(asked).size).toBe(targets.length)
  })

  test('keep the type of a form whose bytes are changed', () => {
    const headers = [['content-type', 'application/x-www-form-urlencoded']] as const
    const form = { ...jsonRequest('POST', '/v1/x', { headers }), body: Buffer.from('token=a') }
    const random = createRandom(5)
    const changed = Array.from({ length: 200 }, () => mutate(form, random, [])).filter(
      ({ mutation }) => mutation === 'fields',
    )
    expect(changed.length).toBeGreaterThan(20)
    expect(changed.map(({ request }) => request.headers)).toEqual(changed.map(() => form.headers))
    expect(new Set(changed.map(({ request }) => request.body?.toString('latin1'))).size).toBeGreaterThan(20)
  })
})

describe('the judge of addresses', () => {
  const clean: SsrfReport = {
    canaries: 3,
    canariesAwake: 3,
    spellings: 500,
    registered: 9,
    deployed: 9,
    dispatched: 500,
    spared: 0,
    controlCalls: 4,
    controlReached: 4,
    rebindings: 100,
    privateAnswers: 50,
    rebindingsReached: 40,
    redirects: 8,
    redirectsReached: 8,
    otherConnections: 0,
    hits: {},
  }
  const wanted = { spellings: 500, rebindings: 100 }

  test('accepts an attack that reached what it may and nothing else', () => {
    expect(missed(judgeSsrf(clean, wanted))).toEqual([])
  })

  test.each<Partial<SsrfReport>>([
    { hits: { '169.254.169.254': 1 } },
    { canariesAwake: 2 },
    { controlReached: 3 },
    { spared: 1 },
    { privateAnswers: 10 },
    { rebindingsReached: 0 },
    { redirectsReached: 7 },
    { dispatched: 499 },
  ])('refuses %j', (change) => {
    expect(missed(judgeSsrf({ ...clean, ...change }, wanted))).toHaveLength(1)
  })

  test('knows inside from outside', () => {
    const inside = [
      '127.0.0.1',
      '10.0.0.5',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::ffff:10.0.0.5',
      '64:ff9b::7f00:1',
      '2002::1',
    ]
    expect(inside.filter((address) => !isInside(address))).toEqual([])
    expect(['93.184.216.34', '2606:2800:220:1::1'].filter(isInside)).toEqual([])
  })

  test('knows five hundred spellings, each once, the same for one seed', () => {
    const drawn = drawSpellings(500, createRandom(1)).map(({ endpoint }) => endpoint)
    expect(new Set(drawn).size).toBe(500)
    expect(drawSpellings(500, createRandom(1)).map(({ endpoint }) => endpoint)).toEqual(drawn)
  })

  test('a query is answered with the addresses of the kind that it asks for', () => {
    const question = Buffer.from('0001010000010000000000000161047465737400000100010', 'hex')
    const answer = answerQuery(question, (name) => (name === 'a.test' ? ['10.0.0.5', 'fd00::1'] : []))
    expect(answer.readUInt16BE(6)).toBe(1)
    expect([...answer.subarray(-4)]).toEqual([10, 0, 0, 5])
    question.writeUInt8(28, question.length - 3)
    expect(
      answerQuery(question, () => ['10.0.0.5', 'fd00::1'])
        .subarray(-16)
        .toString('hex'),
    ).toBe(`fd${'0'.repeat(29)}1`)
  })
})

test('the judge of schemas refuses slowness, other answers, fetches and faults, and a run that struck nothing', () => {
  const deployments = [201, 201, 400, 400].map((status) => ({ family: 'deep', status, ms: 100 }))
  const calls = [200, 400, 400].map((status) => ({ family: 'deep', status, ms: 50 }))
  const clean: SchemaRun = {
    deployments,
    calls,
    probe: { latenciesMs: Array.from({ length: 50 }, () => 3), lateMs: [], failures: 0 },
    fetches: 0,
    errorLines: 0,
  }
  expect(missed(judgeSchemas(clean))).toEqual([])
  const slow = { family: 'wide', status: 400, ms: 1_001 }
  const changes: Partial<SchemaRun>[] = [
    { deployments: [...deployments.slice(1), slow] },
    { deployments: [...deployments.slice(1), { ...slow, ms: 1, status: 429 }] },
    { calls: [...calls, slow] },
    { calls: [...calls, { ...slow, ms: 1, status: null }] },
    { calls: [...calls, { ...slow, ms: 1, status: 502 }] },
    { probe: { latenciesMs: Array.from({ length: 50 }, () => 101), lateMs: [], failures: 0 } },
    { probe: { ...clean.probe, failures: 1 } },
    { fetches: 1 },
    { errorLines: 1 },
    { deployments: deployments.map((one) => ({ ...one, status: 201 })), calls: [...calls, ...calls] },
  ]
  for (const change of changes) expect(missed(judgeSchemas({ ...clean, ...change }))).toHaveLength(1)
})

test('the judge of slow clients refuses who was kept too long, and others who were not served', () => {
  const served = { latenciesMs: Array.from({ length: 30 }, () => 5), lateMs: [], failures: 0 }
  const clean: SlowRun = {
    connections: [
      { kind: 'headers', connectedAt: 0, closedAt: 11_000 },
      { kind: 'body', connectedAt: 0, closedAt: 31_000 },
      { kind: 'reader', connectedAt: 0, closedAt: null },
    ],
    readers: 1,
    readersEnded: 1,
    health: served,
    calls: served,
    grownMb: 20,
  }
  expect(missed(judgeSlow(clean))).toEqual([])
  const changes: Partial<SlowRun>[] = [
    { connections: [{ kind: 'headers', connectedAt: 0, closedAt: 16_000 }] },
    { connections: [{ kind: 'silent', connectedAt: 0, closedAt: null }] },
    { connections: [{ kind: 'reader', connectedAt: null, closedAt: 0 }] },
    { readersEnded: 0 },
    { health: { ...served, failures: 1 } },
    { calls: { latenciesMs: Array.from({ length: 30 }, () => 800), lateMs: [], failures: 0 } },
    { grownMb: 201 },
  ]
  for (const change of changes) expect(missed(judgeSlow({ ...clean, ...change }))).toHaveLength(1)
})

test('the judge of overload wants the work done, in time, and the rest refused in words', () => {
  const capacity = { perSecond: 100, p99Ms: 20 }
  const health = { latenciesMs: [5, 6, 7], lateMs: [], failures: 0 }
  const load = (served: number, ms: number, more: object = {}) => ({
    due: 5_000,
    unsent: 0,
    broken: 0,
    byStatus: { '200': served, '429': 5_000 - served },
    withoutRetryAfter: 0,
    otherIds: 0,
    leftovers: 0,
    lateMs: [],
    servedMs: Array.from({ length: served }, () => ms),
    measuredMs: 10_000,
    ...more,
  })
  expect(capacityOf(load(900, 30))).toEqual({ perSecond: 90, p99Ms: 30 })
  const good = { capacity, load: load(900, 30), health, isAlive: true, othersShare: 0.05 }
  expect(missed(judgeOverload(good))).toEqual([])
  const bad = [
    load(500, 30),
    load(900, 81),
    load(900, 30, { byStatus: { '200': 900, '429': 4_000, '503': 100 } }),
    load(900, 30, { withoutRetryAfter: 1 }),
    load(900, 30, { broken: 1 }),
    load(900, 30, { otherIds: 1 }),
    load(900, 30, { leftovers: 1 }),
    load(900, 30, { unsent: 600 }),
    load(900, 30, { byStatus: { '200': 900 } }),
  ]
  for (const one of bad) expect(missed(judgeOverload({ ...good, load: one }))).toHaveLength(1)
  const slow = { ...health, latenciesMs: [101] }
  expect(missed(judgeOverload({ ...good, health: slow, isAlive: false, othersShare: 0.2 }))).toHaveLength(3)
})

test('the judge of fairness sees a dead server, a slow neighbour, and an account that is kept out', () => {
  const attack = { byStatus: { '200': 10, '429': 90 }, broken: 0, withoutRetryAfter: 0 }
  const calls = (latencyMs: number, failures = 0) => ({
    latenciesMs: Array<number>(20).fill(latencyMs),
    lateMs: [1],
    failures,
  })
  const memory = { attack, quiet: calls(10), busy: calls(50), isAlive: true, residentMb: 300 }
  expect(missed(judgeMemory(memory))).toEqual([])
  expect(missed(judgeMemory({ ...memory, busy: calls(51, 1), isAlive: false }))).toHaveLength(3)
  expect(missed(judgeMemory({ ...memory, attack: { ...attack, byStatus: { '200': 10, '500': 1 } } }))).toHaveLength(2)
  const greed = { taken: [50, 50, 50], letIn: 50, asked: 50, limit: 200, isAlive: true }
  expect(missed(judgeGreed(greed))).toEqual([])
  expect(missed(judgeGreed({ ...greed, letIn: 49 }))).toHaveLength(1)
})

test('the judge of origins lets in an exact entry alone', () => {
  const answer = (status: number, headers: string) => {
    const read = readAnswer(Buffer.from(`HTTP/1.1 ${status} x\r\n${headers}content-length: 0\r\n\r\n`))
    if (!read) throw new Error('not whole')
    return read
  }
  const [vary, shown] = ['vary: origin\r\n', 'access-control-allow-origin: https://a.example\r\n']
  expect(originFault(answer(200, vary + shown), 'https://a.example', true)).toBeNull()
  expect(originFault(answer(403, vary), 'https://b.example', false)).toBeNull()
  expect(originFault(answer(200, shown), 'https://a.example', true)).toContain('vary')
  expect(originFault(answer(200, vary), 'https://a.example', true)).toContain('an allowed origin')
  expect(originFault(answer(200, vary), 'https://b.example', false)).toContain('not allowed got 200')
  expect(originFault(answer(403, vary + shown), 'https://a.example', false)).toContain('may read')
  const credentials = 'access-control-allow-credentials: true\r\n'
  expect(originFault(answer(200, vary + shown + credentials), 'https://a.example', true)).toContain('credentials')
})

test('lines of a log that a caller wrote, and fields from nowhere, are seen', () => {
  expect(brokenLogLines('{"level":30}\n{"level":40,"msg":"a\\r\\nx-injected: 1"}\n')).toEqual([])
  expect(brokenLogLines('{"level":30}\nx-injected: 1\n{"level":60,"x-injected":"1"}')).toHaveLength(2)
  expect(isPolluted('{"a":[{"b":{"polluted":true}}]}')).toBe(true)
  expect(isPolluted('{"a":["polluted"]}')).toBe(false)
})
