import { describe, expect, test } from 'vitest'
import { sweepSessions } from '../../src/accounts/sessions.ts'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { setScene } from '../support/scene.ts'
import { startForTest } from '../support/service.ts'
import { askToSignIn, begunSession, cookieSet, statusWith } from '../support/sign-in.ts'

const DAY_MS = 86_400_000
const NAME = '__Host-svc_session'
const SECURE = ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax', 'Secure']

describeEngines('a session', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-11
  test('is set as a cookie that no page can read, and returned as a token for other clients', async () => {
    const { service, owner } = await setScene(database())
    const answer = await askToSignIn(service, { email: owner.email })
    const { token } = begunSession(answer)
    expect(cookieSet(answer)).toEqual({ name: NAME, value: token, attributes: SECURE })
    const asking = [{ authorization: `Bearer ${token}` }, { cookie: `${NAME}=${token}` }]
    for (const headers of asking) {
      const account = await service.send('GET', '/v1/account', { headers })
      expect(account.json()).toMatchObject({ ownerId: owner.ownerId })
      expect(account.headers).not.toHaveProperty('set-cookie')
    }
  })

  // holds ACC-11
  test('on a service without https is set as a plain cookie', async () => {
    const service = await startForTest(database(), { baseUrl: 'http://127.0.0.1:8787' })
    const owner = await service.owner()
    const token = await service.signedIn(owner)
    const answer = await askToSignIn(service, { email: owner.email })
    expect(cookieSet(answer)).toMatchObject({
      name: 'svc_session',
      attributes: SECURE.filter((one) => one !== 'Secure'),
    })
    const withCookie = (cookie: string) => service.send('GET', '/v1/account', { headers: { cookie } })
    expect((await withCookie(`svc_session=${token}`)).statusCode).toBe(200)
    expect((await withCookie(`${NAME}=${token}`)).statusCode).toBe(401)
  })

  test('on a service with https is set for https alone, in any spelling of the base URL', async () => {
    const service = await startForTest(database(), { baseUrl: 'HTTPS://svc.test' })
    const owner = await service.owner()
    await service.signedIn(owner)
    const answer = await askToSignIn(service, { email: owner.email })
    expect(cookieSet(answer)).toMatchObject({ name: NAME, attributes: SECURE })
  })

  // holds ACC-02, AUTH-05
  test('opens every owner route that an API key opens', async () => {
    const { service, session, runtime, owner } = await setScene(database())
    const routes = ['/v1/runtimes', `/v1/runtimes/${runtime.runtimeId}`, '/v1/executions', '/v1/projects']
    for (const url of routes) {
      const [byKey, bySession] = [
        await service.send('GET', url, { key: owner.apiKey }),
        await service.send('GET', url, { key: session }),
      ]
      expect([url, bySession.statusCode, bySession.body]).toEqual([url, 200, byKey.body])
    }
  })

  test('is found among other cookies, by its whole name', async () => {
    const { service, session } = await setScene(database())
    const withCookie = async (cookie: string) =>
      (await service.send('GET', '/v1/account', { headers: { cookie } })).statusCode
    expect(await withCookie(`theme=dark; ${NAME}=${session}; lang=en`)).toBe(200)
    expect(await withCookie(`theme=dark;${NAME}=${session}`)).toBe(200)
    for (const name of ['svc_session', `x${NAME}`, `${NAME}x`, NAME.toLowerCase(), 'session']) {
      expect([name, await withCookie(`${name}=${session}`)]).toEqual([name, 401])
    }
    expect(await withCookie(`${NAME}="${session}"`)).toBe(401)
  })

  test('cannot be replaced by an API key in the cookie', async () => {
    const { service, owner } = await setScene(database())
    const answer = await service.send('GET', '/v1/account', { headers: { cookie: `${NAME}=${owner.apiKey}` } })
    refusalOf(answer, 'unauthorized')
  })

  // holds ACC-13
  test('beside a bearer is ignored: a wrong bearer is refused, a right one passes', async () => {
    const { service, session, owner } = await setScene(database())
    const send = (authorization: string) =>
      service.send('GET', '/v1/account', { headers: { authorization, cookie: `${NAME}=${session}` } })
    const wrong = ['', 'Bearer', 'Bearer hello', `Bearer ${owner.apiKey.slice(0, -1)}`, `Basic ${session}`]
    for (const authorization of wrong)
      expect([authorization, (await send(authorization)).statusCode]).toEqual([authorization, 401])
    const other = await service.owner()
    expect((await send(`Bearer ${other.apiKey}`)).json()).toMatchObject({ ownerId: other.ownerId })
  })

  test('that is garbage, expired or ended answers the 401 of every wrong credential', async () => {
    const { service, session } = await setScene(database())
    await service.send('POST', '/v1/auth/sign-out', { key: session })
    const plain = await service.send('GET', '/v1/account')
    for (const value of [
      '',
      'garbage',
      session,
      session.slice(0, -1),
      `${session}0`,
      'svc_ss_',
      '%00',
      'a'.repeat(4_000),
    ]) {
      const answer = await service.send('GET', '/v1/account', { headers: { cookie: `${NAME}=${value}` } })
      expect([value, answer.body]).toEqual([value, plain.body])
      expect(steadyHeaders(answer)).toEqual(steadyHeaders(plain))
    }
  })

  test('opens no other plane, as a cookie or as a bearer', async () => {
    const { service, session } = await setScene(database())
    for (const headers of [{ cookie: `${NAME}=${session}` }, { authorization: `Bearer ${session}` }]) {
      const answers = await Promise.all([
        service.send('GET', '/v1/runtime/status', { headers }),
        service.send('POST', '/v1/deployments', { headers, body: {} }),
        service.send('POST', '/v1/runtime/execute', { headers, body: {} }),
      ])
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401])
    }
  })

  // holds ACC-08
  test('shows no other account', async () => {
    const { service, session } = await setScene(database())
    const other = await service.owner()
    const runtime = await service.runtime(other)
    const answer = await service.send('GET', `/v1/runtimes/${runtime.runtimeId}`, { key: session })
    expect(refusalOf(answer, 'not_found')).toBe('The runtime was not found.')
  })

  // holds ACC-18
  test('ends when the hundredth one after it begins in its account', async () => {
    const service = await startForTest(database())
    const [owner, other] = [await service.owner(), await service.owner()]
    const tokens = [await service.signedIn(owner)]
    const theirs = await service.signedIn(other)
    const begin = async () => {
      service.clock.advance(120_000)
      tokens.push(begunSession(await askToSignIn(service, { email: owner.email })).token)
    }
    const first = (count: number) => Promise.all(tokens.slice(0, count).map((token) => statusWith(service, token)))
    for (let more = 1; more <= 99; more += 1) await begin()
    expect(await first(2)).toEqual([200, 200])
    await begin()
    expect(await first(3)).toEqual([401, 200, 200])
    await begin()
    expect(await first(3)).toEqual([401, 401, 200])
    expect(await statusWith(service, theirs)).toBe(200)
  })

  describe('as time passes', () => {
    // holds ACC-12
    test('ends after seven days without use, to the millisecond', async () => {
      const { service, session } = await setScene(database())
      service.clock.advance(7 * DAY_MS - 1)
      expect(await statusWith(service, session)).toBe(200)
      const { service: second, session: unused } = await setScene(database())
      second.clock.advance(7 * DAY_MS)
      expect(await statusWith(second, unused)).toBe(401)
    })

    // holds ACC-12
    test('is renewed by use, once a day, together with the browser’s cookie', async () => {
      const { service, session } = await setScene(database())
      const use = () => service.send('GET', '/v1/account', { headers: { cookie: `${NAME}=${session}` } })
      service.clock.advance(DAY_MS - 1)
      expect(cookieSet(await use())).toBeUndefined()
      service.clock.advance(1)
      expect(cookieSet(await use())).toEqual({ name: NAME, value: session, attributes: SECURE })
      expect(cookieSet(await use())).toBeUndefined()
      for (let week = 0; week < 4; week += 1) {
        service.clock.advance(7 * DAY_MS - 1)
        expect(cookieSet(await use())).toMatchObject({ value: session })
      }
      service.clock.advance(7 * DAY_MS)
      expect((await use()).statusCode).toBe(401)
    })

    test('of a bearer is renewed without a cookie', async () => {
      const { service, session } = await setScene(database())
      service.clock.advance(DAY_MS)
      const answer = await service.send('GET', '/v1/account', { key: session })
      expect(cookieSet(answer)).toBeUndefined()
      service.clock.advance(7 * DAY_MS - 1)
      expect(await statusWith(service, session)).toBe(200)
    })

    test('is deleted after its end, and not before', async () => {
      const { service, session, owner } = await setScene(database())
      const { db } = database()
      const rows = async () =>
        (await db.selectFrom('auth_sessions').select('id').where('owner_id', '=', owner.ownerId).execute()).length
      service.clock.advance(7 * DAY_MS - 1)
      await sweepSessions(service.deps)
      expect(await rows()).toBe(1)
      service.clock.advance(1)
      await sweepSessions(service.deps)
      expect(await rows()).toBe(0)
      expect(await statusWith(service, session)).toBe(401)
    })

    test('throttles are deleted once they have no effect any more', async () => {
      const { service } = await setScene(database())
      const rows = async () => (await database().db.selectFrom('throttles').selectAll().execute()).length
      service.clock.advance(DAY_MS)
      await sweepSessions(service.deps)
      expect(await rows()).toBe(0)
      await askToSignIn(service, { email: 'nobody@example.com' })
      await sweepSessions(service.deps)
      expect(await rows()).toBe(2)
      service.clock.advance(90_000)
      await sweepSessions(service.deps)
      expect(await rows()).toBe(0)
    })
  })

  describe('on signing out', () => {
    // holds ACC-03
    test('ends on every replica, leaves the others, and has its cookie removed', async () => {
      const { a, b } = await setReplicatedScene(engine)
      const other = begunSession(await askToSignIn(a.service, { email: a.owner.email })).token
      expect(await statusWith(b.service, a.session)).toBe(200)
      const answer = await a.service.send('POST', '/v1/auth/sign-out', { headers: { cookie: `${NAME}=${a.session}` } })
      expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }])
      expect(cookieSet(answer)).toEqual({
        name: NAME,
        value: '',
        attributes: ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax', 'Secure'],
      })
      expect(await statusWith(b.service, a.session)).toBe(401)
      expect(await statusWith(b.service, other)).toBe(200)
    })

    test('of a bearer ends, even beside a cookie of another session', async () => {
      const { service, session, owner } = await setScene(database())
      const other = begunSession(await askToSignIn(service, { email: owner.email })).token
      const headers = { authorization: `Bearer ${other}`, cookie: `${NAME}=${session}` }
      expect((await service.send('POST', '/v1/auth/sign-out', { headers })).statusCode).toBe(200)
      expect([await statusWith(service, session), await statusWith(service, other)]).toEqual([200, 401])
    })

    test('that is missing, or an API key, is answered as signed out', async () => {
      const { service, owner } = await setScene(database())
      for (const key of [undefined, owner.apiKey, 'garbage']) {
        const answer = await service.send('POST', '/v1/auth/sign-out', key === undefined ? {} : { key })
        expect(answer.statusCode).toBe(200)
      }
      expect(await statusWith(service, owner.apiKey)).toBe(200)
    })
  })
})
