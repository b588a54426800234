import { describe, expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { type Scene, setScene } from '../support/scene.ts'
import { PASSWORD, startForTest } from '../support/service.ts'
import { newAddress, statusWith } from '../support/sign-in.ts'

const NAME = '__Host-svc_session'
const OURS = 'https://svc.test'

/** Headers of a request that a browser sends for a page of ours. */
const OWN_PAGES = [
  { origin: OURS },
  { origin: OURS, 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin' },
] as const

/** Headers of one that a page of somebody else's has made it send, or that says nothing of where it comes from. */
const OTHER_PAGES = [
  { origin: 'https://evil.example' },
  { origin: 'https://evil.svc.test' },
  { origin: 'https://svc.test.evil.example' },
  { origin: 'https://svc.test:8443' },
  { origin: 'http://svc.test' },
  { origin: 'HTTPS://SVC.TEST' },
  { origin: 'https://svc.test/' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
] as const

// Where sessions are stored sessions.test.ts holds on both engines.
describeEngine('sqlite', 'cross-site request forgery', (engine) => {
  const database = useDatabase(engine)

  describe('a request with the session’s cookie', () => {
    // holds ACC-05
    test('from another site changes nothing on any route', async () => {
      const scene = await setScene(database())
      const before = await runtimesOf(scene)
      for (const headers of [...OTHER_PAGES, {}]) {
        for (const [method, url, body] of changes(scene)) {
          const answer = await scene.service.send(method, url, { headers: { ...headers, ...cookieOf(scene) }, body })
          expect([headers, url, refusalOf(answer, 'forbidden')]).toEqual([headers, url, expect.stringContaining(OURS)])
        }
      }
      expect(await runtimesOf(scene)).toEqual(before)
      expect(await statusWith(scene.service, scene.session)).toBe(200)
    })

    // holds ACC-05
    test('from the service’s own page is accepted', async () => {
      const scene = await setScene(database(), { tier: 'pro' })
      for (const headers of OWN_PAGES) {
        for (const [method, url, body] of changes(scene)) {
          const answer = await scene.service.send(method, url, { headers: { ...headers, ...cookieOf(scene) }, body })
          expect([headers, url, answer.statusCode]).toEqual([
            headers,
            url,
            expect.toSatisfy((code: number) => code < 300),
          ])
        }
      }
    })

    test('may read, but other sites cannot see the answer', async () => {
      const scene = await setScene(database())
      for (const headers of [...OTHER_PAGES, ...OWN_PAGES, {}]) {
        for (const method of ['GET', 'HEAD'] as const) {
          const answer = await scene.service.inject({
            method,
            url: '/v1/account',
            headers: { ...headers, ...cookieOf(scene) },
          })
          expect(answer.statusCode).toBe(200)
          expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
        }
      }
    })

    test('and a wrong value is a 401 from any origin', async () => {
      const scene = await setScene(database())
      for (const headers of [...OTHER_PAGES, ...OWN_PAGES]) {
        const answer = await scene.service.send('POST', '/v1/projects', {
          headers: { ...headers, cookie: `${NAME}=garbage` },
          body: { name: 'Shops' },
        })
        refusalOf(answer, 'unauthorized')
      }
    })
  })

  test('a request with a bearer credential is accepted from any site', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    for (const key of [scene.owner.apiKey, scene.session]) {
      for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}]) {
        const answer = await scene.service.send('POST', '/v1/projects', {
          key,
          headers: { ...headers, ...cookieOf(scene) },
          body: { name: 'Shops' },
        })
        expect(answer.statusCode).toBe(201)
      }
    }
  })

  describe('a request to sign in, up or out', () => {
    test('from another site is refused before any look-up, and sets no cookie', async () => {
      const { service, owner, session } = await setScene(database())
      const good = { email: owner.email, password: PASSWORD }
      for (const headers of OTHER_PAGES) {
        const answers = await Promise.all([
          service.send('POST', '/v1/auth/sign-in', { headers, body: good }),
          service.send('POST', '/v1/auth/sign-in', { headers, body: {} }),
          service.send('POST', '/v1/auth/sign-up', { headers, body: { email: newAddress(), password: PASSWORD } }),
          service.send('POST', '/v1/auth/sign-out', { headers: { ...headers, cookie: `${NAME}=${session}` } }),
        ])
        for (const answer of answers) {
          refusalOf(answer, 'forbidden')
          expect(answer.headers).not.toHaveProperty('set-cookie')
          expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
        }
      }
      expect(await statusWith(service, session)).toBe(200)
    })

    test('from the service’s own page, or from a client other than a browser, is accepted', async () => {
      const { service, owner } = await setScene(database())
      for (const headers of [...OWN_PAGES, {}]) {
        const body = { email: owner.email, password: PASSWORD }
        expect((await service.send('POST', '/v1/auth/sign-in', { headers, body })).statusCode).toBe(200)
        expect((await service.send('POST', '/v1/auth/sign-out', { headers })).statusCode).toBe(200)
      }
    })

    test('gets no preflight, and is not accepted as a form', async () => {
      const { service, owner } = await setScene(database())
      for (const url of ['/v1/auth/sign-in', '/v1/auth/sign-up', '/v1/auth/sign-out', '/v1/account/password']) {
        const headers = { origin: OURS, 'access-control-request-method': 'POST' }
        expect((await service.inject({ method: 'OPTIONS', url, headers })).statusCode).toBe(404)
      }
      const form = await service.inject({
        method: 'POST',
        url: '/v1/auth/sign-in',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: `email=${owner.email}&password=${PASSWORD}`,
      })
      expect(form.statusCode).toBe(400)
    })
  })

  test('the origin of a base URL with a path, or on another port, is compared', async () => {
    const service = await startForTest(database(), { baseUrl: 'http://127.0.0.1:8787/base' })
    const token = await service.signedIn(await service.owner())
    const send = async (origin: string) => {
      const headers = { origin, cookie: `svc_session=${token}` }
      return (await service.send('POST', '/v1/projects', { headers, body: { name: 'Shops' } })).statusCode
    }
    expect(await send('http://127.0.0.1:8787')).toBe(201)
    for (const origin of ['http://127.0.0.1:8787/base', 'http://127.0.0.1', 'http://localhost:8787']) {
      expect([origin, await send(origin)]).toEqual([origin, 403])
    }
  })
})

function cookieOf({ session }: Scene) {
  return { cookie: `${NAME}=${session}` }
}

/** A change by each method that the owner plane has. */
function changes({ runtime }: Scene) {
  const { runtimeId, projectId } = runtime
  return [
    ['POST', '/v1/runtimes', { name: 'Another shop', runtimeId }],
    ['PUT', `/v1/runtimes/${runtimeId}/allowed-origins`, { origins: ['https://evil.example'] }],
    ['PATCH', `/v1/projects/${projectId}`, { name: 'Taken' }],
  ] as const
}

async function runtimesOf({ service, owner, runtime }: Scene): Promise<unknown> {
  const { runtimeId, projectId } = runtime
  const urls = [`/v1/runtimes/${runtimeId}`, `/v1/projects/${projectId}`]
  const answers = await Promise.all(urls.map((url) => service.send('GET', url, { key: owner.apiKey })))
  return answers.map((answer) => answer.json())
}
