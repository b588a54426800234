import { ServiceHealth, ServiceInfo } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { type Scene, saying, setScene, useScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every path, with the methods that it takes. */
const PATHS = [
  ['/', ['GET']],
  ['/health', ['GET']],
  ['/v1/runtimes', ['GET', 'POST']],
  ['/v1/runtimes/rt_1', ['GET', 'DELETE']],
  ['/v1/runtimes/rt_1/allowed-origins', ['PUT']],
  ['/v1/auth/sign-up', ['POST']],
  ['/v1/auth/sign-in', ['POST']],
  ['/v1/auth/sign-out', ['POST']],
  ['/v1/auth/device', ['POST']],
  ['/v1/auth/device/token', ['POST']],
  ['/v1/account/devices/BBBB-BBBB', ['GET', 'POST']],
  ['/v1/account', ['GET', 'DELETE']],
  ['/v1/account/password', ['POST']],
  ['/v1/executions', ['GET', 'POST']],
  ['/v1/executions/exec_1', ['GET']],
  ['/v1/deployments', ['POST']],
  ['/v1/runtime/status', ['GET']],
  ['/v1/runtime/heartbeat', ['POST']],
  ['/v1/runtime/doctor', ['POST']],
  ['/v1/runtime/deployment', ['GET']],
  ['/v1/runtime/execute', ['POST', 'OPTIONS']],
  ['/v1/runtime/capability', ['POST', 'OPTIONS']],
  ['/v1/runtime/rt_1/manifest', ['GET', 'OPTIONS']],
  ['/v1/capabilities/rt_1/echo', ['POST', 'OPTIONS']],
] as const

const NOWHERE = [
  '/nowhere',
  '/v1',
  '/v1/',
  '/v2/runtimes',
  '/V1/runtimes',
  '/v1/Runtimes',
  '/v1//runtimes',
  '//v1/runtimes',
  '/health/',
  '/index.html',
  '/.env',
  '/../../etc/passwd',
  '/%2e%2e/etc/passwd',
  '/v1/runtimes;x=1',
  '/v1/capabilities/rt_1',
  '/v1/capabilities/rt_1/echo/more',
]

// The store has no part in these: one engine tells as much as two.
describeEngine('sqlite', 'every answer', (engine) => {
  const database = useDatabase(engine)

  // holds ERR-02, ERR-03, ERR-11
  test('carries its own request id', async () => {
    const scene = await setScene(database(), { manifest: { capabilities: [capability('echo'), capability('fail')] } })
    const answers = await oneOfEachKind(scene)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([
      200, 200, 201, 204, 304, 400, 400, 401, 403, 404, 404, 404, 502, 429,
    ])
    const ids = answers.map(({ headers }) => String(headers['x-request-id']))
    for (const id of ids) expect(id).toMatch(UUID)
    expect(new Set(ids).size).toBe(answers.length)
  })

  test('carries the caller’s request id if that is well-formed', async () => {
    const { service } = await setScene(database())
    for (const id of ['a1b2c3d4', 'A_b-C_d-1', '0'.repeat(64), 'trace_01HZX']) {
      for (const url of ['/health', '/v1/runtimes', '/nowhere', '/%zz']) {
        const answer = await service.send('GET', url, { headers: { 'x-request-id': id } })
        expect([url, answer.headers['x-request-id']]).toEqual([url, id])
      }
    }
  })

  test('carries a new request id if the caller’s is malformed', async () => {
    const { service } = await setScene(database())
    const ids = [
      '',
      'short',
      '1234567',
      'a'.repeat(65),
      'with space',
      'with.dot.in.it',
      'two-of-them, two-of-them',
      '<script>alert(1)</script>',
      'é'.repeat(10),
      '\u{7f}'.repeat(10),
    ]
    for (const id of ids) {
      const answer = await service.send('GET', '/v1/runtimes', { headers: { 'x-request-id': id } })
      expect(answer.headers['x-request-id']).toMatch(UUID)
      expect(answer.statusCode).toBe(401)
    }
  })

  test('is logged with its duration', async () => {
    const lines: string[] = []
    const scene = await setScene(database(), {
      log: (line) => lines.push(line),
      handle: {
        echo: () => {
          scene.service.clock.advance(250)
          return { output: null }
        },
      },
    })
    await scene.broker('echo')
    const written = lines.filter((line) => line.includes('/v1/capabilities/:runtimeId/:capability'))
    expect(written).toEqual([expect.stringContaining('"durationMs":250')])
  })

  test('is logged under the same request id, without the request’s content', async () => {
    const lines: string[] = []
    const { service, runtime, execute } = await setScene(database(), { log: (line) => lines.push(line) })
    lines.length = 0
    const answer = await execute({
      ...saying('a private thing'),
      endUserToken: 'token-of-a-user',
      metadata: { note: 'a note' },
    })
    await service.send('GET', '/v1/runtimes?projectId=a-query', {
      key: runtime.deployKey,
      headers: { cookie: 'a-cookie' },
    })
    const log = lines.join('')
    expect(log).toContain(`"requestId":"${answer.headers['x-request-id']}"`)
    expect(lines.filter((line) => line.includes('"status":'))).toHaveLength(2)
    for (const secret of [
      'private thing',
      'token-of-a-user',
      'a note',
      'a-query',
      'a-cookie',
      runtime.publicKey,
      runtime.deployKey,
    ]) {
      expect(log).not.toContain(secret)
    }
  })

  // holds ERR-01, SVC-14
  test('to an unknown path is the same 404, even if more is wrong with the request', async () => {
    const { service, owner } = await setScene(database())
    const answers = await Promise.all(
      NOWHERE.flatMap((url) => [
        service.inject({ method: 'GET', url }),
        service.inject({ method: 'POST', url, payload: '{', headers: { 'content-type': 'application/json' } }),
        service.inject({
          method: 'POST',
          url,
          payload: 'a=b',
          headers: { 'content-type': 'text/plain', authorization: 'x' },
        }),
        service.inject({
          method: 'PUT',
          url,
          payload: 'x'.repeat(2_000_000),
          headers: { authorization: `Bearer ${owner.apiKey}` },
        }),
      ]),
    )
    for (const answer of answers) {
      expect(refusalOf(answer, 'not_found')).toBe('The route was not found.')
      expect(steadyHeaders(answer)).toEqual(steadyHeaders(answers[0] ?? answer))
    }
  })

  test('to a HEAD is that to the GET without its body', async () => {
    const scene = await setScene(database())
    const { runtimeId } = scene.runtime
    const { executionId } = (await scene.execute()).json()
    const gets: [string, string | undefined][] = [
      ['/', undefined],
      ['/health', undefined],
      [`/v1/runtime/${runtimeId}/manifest`, undefined],
      ['/v1/runtime/rt_nobody/manifest', undefined],
      ['/v1/runtime/status', scene.runtime.deployKey],
      ['/v1/runtimes', scene.owner.apiKey],
      [`/v1/runtimes/${runtimeId}`, scene.owner.apiKey],
      ['/v1/runtimes?limit=0', scene.owner.apiKey],
      ['/v1/executions', scene.owner.apiKey],
      [`/v1/executions/${executionId}`, scene.owner.apiKey],
    ]
    for (const [url, key] of gets) {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const [get, head] = [
        await scene.service.inject({ method: 'GET', url, headers }),
        await scene.service.inject({ method: 'HEAD', url, headers }),
      ]
      expect([url, head.statusCode, head.payload]).toEqual([url, get.statusCode, ''])
      expect(steadyHeaders(head)).toEqual(steadyHeaders(get))
    }
  })
})

// The router answers: one engine tells as much as two.
describeEngine('sqlite', 'an answer', (engine) => {
  const scene = useScene(useDatabase(engine))

  // holds ERR-10
  test.each(PATHS)('to a wrong method at %s is the 404 of an unknown path', async (url, methods) => {
    const { service, owner, runtime } = scene()
    const taken = new Set<string>(methods)
    for (const key of [owner.apiKey, runtime.deployKey, runtime.publicKey]) {
      const headers = { authorization: `Bearer ${key}` }
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        const answer = await service.inject({ method, url, headers })
        expect([method, answer.body.includes('The route was not found.')]).toEqual([method, !taken.has(method)])
        if (!taken.has(method)) refusalOf(answer, 'not_found')
      }
      const head = await service.inject({ method: 'HEAD', url, headers })
      const get = await service.inject({ method: 'GET', url, headers })
      expect(steadyHeaders(head)).toEqual(steadyHeaders(get))
    }
  })
})

describeEngine('sqlite', 'the service', (engine) => {
  const database = useDatabase(engine)

  // holds PUB-01
  test('says at / what it is', async () => {
    const { service } = await setScene(database())
    const answer = await service.send('GET', '/')
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(ServiceInfo.parse(answer.json())).toEqual(answer.json())
    expect(answer.json()).toEqual({ service: 'svc', version: '0.0.0-test' })
  })

  // holds PUB-02
  test('reports at /health that it is alive, its start and its clock', async () => {
    const { service } = await setScene(database())
    const startedAt = service.clock.now()
    for (const elapsed of [0, 1_500, 3_600_000]) {
      service.clock.advance(startedAt + elapsed - service.clock.now())
      const answer = await service.send('GET', '/health')
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
      expect(ServiceHealth.parse(answer.json())).toEqual({
        status: 'ok',
        version: '0.0.0-test',
        uptime: elapsed / 1000,
        timestamp: new Date(startedAt + elapsed).toISOString(),
      })
    }
  })
})

async function oneOfEachKind(scene: Scene): Promise<LightMyRequestResponse[]> {
  const { service, owner, runtime, execute, broker, endpoint } = scene
  endpoint.script('fail', () => ({ error: 'No.' }))
  const manifest = `/v1/runtime/${runtime.runtimeId}/manifest`
  const { etag } = (await service.send('GET', manifest)).headers
  const answers = [
    await execute(),
    await execute(saying(), { headers: { accept: 'text/event-stream' } }),
    await service.deploy(runtime, { capabilities: [capability('echo'), capability('fail')] }),
    await service.inject({ method: 'OPTIONS', url: '/v1/runtime/execute' }),
    await service.send('GET', manifest, { headers: { 'if-none-match': String(etag) } }),
    await execute({}),
    await service.send('GET', '/%zz'),
    await service.send('GET', '/v1/runtimes'),
    await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { name: 'Second' } }),
    await service.send('GET', '/nowhere'),
    await service.send('GET', '/v1/runtimes/rt_nobody', { key: owner.apiKey }),
    await broker('nothing'),
    await broker('fail'),
  ]
  faultsIn(answers[5] ?? never())
  for (;;) {
    const answer = await broker('echo')
    if (answer.statusCode === 429) return [...answers, answer]
  }
}

function never(): never {
  throw new Error('there is an answer for every request')
}
