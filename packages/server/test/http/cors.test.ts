import { randomBytes } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { actions, executed, type Scene, saying, setScene } from '../support/scene.ts'
import { capability, startService } from '../support/service.ts'

const SHOP = 'https://shop.example.com'
const LOCAL = 'http://localhost:3000'
const EXPOSED = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'x-request-id',
]

const LOOK_ALIKES = [
  'null',
  '',
  '*',
  'http://shop.example.com',
  'https://shop.example.com:8443',
  'https://shop.example.com:443',
  'https://shop.example.com/',
  'https://shop.example.com.evil.example',
  'https://evil.example/https://shop.example.com',
  'https://evilshop.example.com',
  'https://evil.shop.example.com',
  'https://example.com',
  'https://shop.example.co',
  'https://shop.example.com.',
  'https://SHOP.example.com',
  'HTTPS://shop.example.com',
  'https://shop-example.com',
  'https://shopxexample.com',
  'https://user@shop.example.com',
  'https://shop.example.com, https://evil.example',
  'https://shop.example.com https://evil.example',
  'https://shop.example.com%00.evil.example',
  'https://shop.example.com\t',
  'https://ѕhop.example.com',
  'shop.example.com',
  'file://shop.example.com',
  'http://localhost:3001',
  'http://localhost',
  'http://127.0.0.1:3000',
  'https://localhost:3000',
  'http://localhost:30000',
  'http://localhost:3000.evil.example',
  'undefined',
  'https:shop.example.com',
  '//shop.example.com',
  'https://shop.example.com:',
  'https://shop.example.com?x',
  'https://shop.example.com#x',
  'https://shop.example.community',
  'https://shop.example.com@evil.example',
  'https://evil.example@shop.example.com',
  'https://shop.example.com\\@evil.example',
  'https://shop.example.com%2eevil.example',
  'https://shop.example.com, https://shop.example.com',
  'https://__proto__',
  'constructor',
]

// allowed-origins.test.ts holds on both engines how origins are stored.
describeEngine('sqlite', 'a browser', (engine) => {
  const database = useDatabase(engine)

  // holds ORG-02, ORG-03, ORG-04
  test('of an allowed origin may read answers and errors of the public-key routes', async () => {
    const scene = await sceneFor([LOCAL, SHOP], { limits: { bodyBytes: 10_000 } })
    const { service, runtime, execute, call } = scene
    for (const origin of [SHOP, LOCAL]) {
      const headers = { origin }
      const execution = await execute(saying(), { headers })
      executed(execution)
      const stream = await execute(saying(), { headers: { origin, accept: 'text/event-stream' } })
      expect(stream.headers['content-type']).toContain('text/event-stream')
      const answers = [
        execution,
        stream,
        await call({ capability: 'echo' }, { headers }),
        await call({ capability: 'nothing' }, { headers }),
        await execute({}, { headers }),
        await service.inject({
          method: 'POST',
          url: '/v1/runtime/execute',
          headers: { origin, authorization: `Bearer ${runtime.publicKey}`, 'content-type': 'text/plain' },
          payload: 'x',
        }),
        await execute(saying('x'.repeat(20_000)), { headers }),
      ]
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 404, 400, 400, 400])
      for (const answer of answers) expectReadableBy(answer, origin)
    }
    const refused = await untilRefused(() => execute(saying(), { headers: { origin: SHOP } }))
    expect(refusalOf(refused, 'rate_limit_exceeded')).toContain('Too many requests')
    expectReadableBy(refused, SHOP)
  })

  // holds SVC-13
  test('with a wrong key may read the 401', async () => {
    const scene = await sceneFor([SHOP])
    const answer = await scene.execute(saying(), { key: 'svc_pk_wrong', headers: { origin: SHOP } })
    refusalOf(answer, 'unauthorized')
    expectReadableBy(answer, SHOP)
  })

  // holds AUTH-08, AUTH-09, CPR-09, SVC-13
  test('of an origin that only resembles an allowed one is refused, reads nothing, and costs nothing', async () => {
    const scene = await sceneFor([SHOP, LOCAL])
    const before = await scene.charged()
    for (const origin of LOOK_ALIKES) {
      const answers = [
        await scene.execute(saying(), { headers: { origin } }),
        await scene.execute(saying(), { headers: { origin, accept: 'text/event-stream' } }),
        await scene.execute({}, { headers: { origin } }),
        await scene.call({ capability: 'echo' }, { headers: { origin } }),
        await scene.call({ capability: 'nothing' }, { headers: { origin } }),
      ]
      for (const answer of answers) {
        expect([origin, answer.statusCode]).toEqual([origin, 403])
        expect(refusalOf(answer, 'forbidden')).toContain('list of allowed origins')
        expect(corsHeaders(answer)).toEqual([])
      }
    }
    expect(await scene.charged()).toEqual(before)
    expect([scene.service.model.requests, scene.endpoint.effects]).toEqual([[], []])
  })

  // holds RT-11
  test.each([SHOP, 'https://anywhere.example', 'null'])(
    'of the origin %s may use a runtime without a list',
    async (origin) => {
      const scene = await sceneFor([])
      const answer = await scene.execute(saying(), { headers: { origin } })
      executed(answer)
      expectReadableBy(answer, origin)
    },
  )

  // holds AUTH-10
  test('is assumed only if there is an Origin; other clients pass with any list', async () => {
    const scene = await sceneFor([SHOP])
    const answer = await scene.execute(saying())
    executed(answer)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(String(answer.headers['vary'])).toContain('origin')
  })

  // holds RTR-07
  test('is judged by the current list, on every replica', async () => {
    const masterKey = randomBytes(32)
    const scene = await sceneFor([], { masterKey })
    const replica = await startService(database(), { masterKey, clock: scene.service.clock })
    onTestFinished(() => replica.close())
    // On SQLite a server that starts takes the place of the one before.
    await scene.service.renew()
    const elsewhere = actions(replica, scene)
    const statuses = async () => {
      const headers = { origin: SHOP }
      return Promise.all(
        [scene.execute(saying(), { headers }), elsewhere.execute(saying(), { headers })].map(
          async (sent) => (await sent).statusCode,
        ),
      )
    }
    for (const [origins, status] of [
      [[], 200],
      [[LOCAL], 403],
      [[LOCAL, SHOP], 200],
      [[LOCAL], 403],
      [[], 200],
    ] as const) {
      await allow(scene, origins)
      expect(await statuses()).toEqual([status, status])
    }
  })

  // holds BRK-14, ORG-01
  test('of any origin may read every answer of the broker and of the manifest', async () => {
    const scene = await sceneFor([LOCAL])
    const { service, endpoint } = scene
    endpoint.script('fail', () => ({ error: 'No.' }))
    const headers = { origin: SHOP }
    const post = (name: string, body: object = {}) =>
      service.send('POST', at(scene, `/v1/capabilities/:runtimeId/${name}`), { headers, body })
    const answers = [
      await post('echo'),
      await post('fail'),
      await post('nothing'),
      await post('private'),
      await post('echo', { input: [] }),
      await service.send('GET', at(scene, '/v1/runtime/:runtimeId/manifest'), { headers }),
      await service.send('GET', '/v1/runtime/rt_nobody/manifest', { headers }),
      await untilRefused(() => post('echo')),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 502, 404, 401, 400, 200, 404, 429])
    for (const answer of answers) expectReadableBy(answer, '*')
    faultsIn(answers[4] ?? never())
  })

  async function sceneFor(origins: readonly string[], options: Parameters<typeof setScene>[1] = {}): Promise<Scene> {
    const capabilities = [capability('echo'), capability('fail'), capability('private', { requiresEndUser: true })]
    const scene = await setScene(database(), { manifest: { capabilities }, ...options })
    await allow(scene, origins)
    return scene
  }
})

async function allow({ service, owner, runtime }: Scene, origins: readonly string[]): Promise<void> {
  const url = `/v1/runtimes/${runtime.runtimeId}/allowed-origins`
  expect((await service.send('PUT', url, { key: owner.apiKey, body: { origins } })).statusCode).toBe(200)
}

function at(scene: Scene, path: string): string {
  return path.replace(':runtimeId', scene.runtime.runtimeId)
}

async function untilRefused(send: () => Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await send()
    if (answer.statusCode === 429) return answer
  }
  throw new Error('a hundred requests were let in')
}

function expectReadableBy(answer: LightMyRequestResponse, origin: string): void {
  expect(answer.headers['access-control-allow-origin']).toBe(origin)
  expect(String(answer.headers['access-control-expose-headers']).split(', ').sort()).toEqual(EXPOSED)
  if (origin !== '*') expect(String(answer.headers['vary'])).toContain('origin')
  expectNoCredentials(answer)
}

function expectNoCredentials(answer: LightMyRequestResponse): void {
  expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
}

function corsHeaders(answer: LightMyRequestResponse): string[] {
  return Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
}

function never(): never {
  throw new Error('there is an answer for every request')
}
