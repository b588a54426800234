import { abbreviateKey, type DeviceDecision, DeviceLogin, DevicePoll } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { makeResetLink } from '../../src/accounts/password-reset.ts'
import { sweepSessions } from '../../src/accounts/sessions.ts'
import { mintCredential } from '../../src/credentials/credentials.ts'
import { insertCredential } from '../../src/credentials/store.ts'
import { errorOf, faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { linkIn } from '../support/mail.ts'
import { firstMember, joinAs, letInvitationWait } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables } from '../support/scene.ts'
import { PASSWORD, startForTest, type TestOwner, type TestService } from '../support/service.ts'
import { statusWith } from '../support/sign-in.ts'

const POLL_MS = 5_000
const EXPIRES_MS = 600_000
const OVER = { deviceCode: [expect.stringContaining('expired_token')] }

function ask(service: TestService, { machine = 'ada-laptop', ip = '192.0.2.1' } = {}): Promise<LightMyRequestResponse> {
  return service.inject({ method: 'POST', url: '/v1/auth/device', payload: { machine }, remoteAddress: ip })
}

async function begin(service: TestService, asked?: { machine?: string; ip?: string }): Promise<DeviceLogin> {
  const answer = await ask(service, asked)
  if (answer.statusCode !== 201) throw new Error(`no code was given: ${answer.body}`)
  return DeviceLogin.parse(answer.json())
}

function poll(service: TestService, { deviceCode }: Pick<DeviceLogin, 'deviceCode'>): Promise<LightMyRequestResponse> {
  return service.send('POST', '/v1/auth/device/token', { body: { deviceCode } })
}

function look(service: TestService, key: string, userCode: string): Promise<LightMyRequestResponse> {
  return service.send('GET', `/v1/account/devices/${encodeURIComponent(userCode)}`, { key })
}

function decide(
  service: TestService,
  key: string,
  { userCode, status = 'authorized' }: { userCode: string; status?: DeviceDecision['status'] },
): Promise<LightMyRequestResponse> {
  return service.send('POST', `/v1/account/devices/${userCode}`, { key, body: { status } })
}

/** The key of an answer that must hold one. */
function keyIn(answer: LightMyRequestResponse): Extract<DevicePoll, { status: 'authorized' }> {
  const told = answer.statusCode === 200 ? DevicePoll.parse(answer.json()) : null
  if (told?.status !== 'authorized') throw new Error(`no key was told: ${answer.body}`)
  return told
}

async function keysOf(service: TestService, { apiKey }: TestOwner): Promise<{ name: string }[]> {
  return (await service.send('GET', '/v1/account/keys', { key: apiKey })).json().keys
}

describeEngines('a device login', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-19
  test('is confirmed by the signed-in owner, and gives the device a key of that account', async () => {
    const service = await startForTest(database())
    const owner = await service.owner('pro')
    const session = await service.signedIn(owner)
    const login = await begin(service)
    expect(login).toEqual({
      deviceCode: expect.stringMatching(/^[\w-]{43}$/),
      userCode: expect.stringMatching(/^[BCDFGHJ-NP-TV-XZ]{4}-[BCDFGHJ-NP-TV-XZ]{4}$/),
      verificationUri: 'https://svc.test/dashboard/device',
      verificationUriComplete: `https://svc.test/dashboard/device?code=${login.userCode}`,
      expiresIn: 600,
      interval: 5,
    })
    expect((await poll(service, login)).json()).toEqual({ status: 'authorization_pending' })
    const typed = login.userCode.toLowerCase().replace('-', ' ')
    expect((await look(service, session, typed)).json()).toEqual({
      ...{ userCode: login.userCode, machine: 'ada-laptop', network: '192.0.2.1' },
      ...{ requestedAt: '2026-03-01T12:00:00.000Z', expiresAt: '2026-03-01T12:10:00.000Z' },
    })
    expect((await decide(service, session, login)).json()).toEqual({ status: 'authorized' })
    expect(await keysOf(service, owner)).toHaveLength(1)
    service.clock.advance(POLL_MS)
    const { account, keyId, key } = keyIn(await poll(service, login))
    expect(account).toMatchObject({ ownerId: owner.ownerId, email: owner.email, tier: 'pro' })
    expect((await service.send('GET', '/v1/account', { key })).json()).toEqual(account)
    expect(await keysOf(service, owner)).toContainEqual(
      expect.objectContaining({ keyId, name: 'svc on ada-laptop', prefix: abbreviateKey(key), revokedAt: null }),
    )

    await service.send('POST', `/v1/account/keys/${keyId}/revoke`, { key })
    expect(await statusWith(service, key)).toBe(401)
  })

  // holds ACC-22
  test('gives a key of the account that confirms it, once, not of an account that only viewed it', async () => {
    const service = await startForTest(database())
    const [ada, bob] = [await service.owner(), await service.owner()]
    const [adas, bobs] = [await service.signedIn(ada), await service.signedIn(bob)]
    const login = await begin(service)
    expect((await look(service, ada.apiKey, login.userCode)).statusCode).toBe(200)
    expect((await decide(service, bobs, login)).statusCode).toBe(200)
    for (const status of ['authorized', 'denied'] as const) {
      refusalOf(await decide(service, adas, { ...login, status }), 'not_found')
    }
    refusalOf(await look(service, bob.apiKey, login.userCode), 'not_found')
    expect(keyIn(await poll(service, login)).account.ownerId).toBe(bob.ownerId)
    expect([await keysOf(service, ada), await keysOf(service, bob)].map((keys) => keys.length)).toEqual([1, 2])
  })

  test('that was confirmed is void after a password change', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const session = await service.signedIn(owner)
    const login = await begin(service)
    await decide(service, session, login)
    const body = { currentPassword: PASSWORD, newPassword: 'another battery staple' }
    expect((await service.send('POST', '/v1/account/password', { key: session, body })).statusCode).toBe(200)
    expect(faultsIn(await poll(service, login))).toEqual(OVER)
    expect(await keysOf(service, owner)).toHaveLength(1)
  })

  // holds ACC-22
  test('that is declined tells the device so, and creates no key', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const session = await service.signedIn(owner)
    const login = await begin(service)
    expect((await decide(service, session, { ...login, status: 'denied' })).json()).toEqual({ status: 'denied' })
    expect(refusalOf(await poll(service, login), 'forbidden')).toContain('access_denied')
    refusalOf(await decide(service, session, login), 'not_found')
    expect(await keysOf(service, owner)).toHaveLength(1)
  })

  // holds ACC-19
  test('ends after ten minutes, to the millisecond, and is then deleted', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const { apiKey } = owner
    const session = await service.signedIn(owner)
    const [waiting, confirmed] = [await begin(service), await begin(service)]
    await decide(service, session, confirmed)
    service.clock.advance(EXPIRES_MS - 1)
    expect((await poll(service, waiting)).json()).toEqual({ status: 'authorization_pending' })
    expect((await look(service, apiKey, waiting.userCode)).statusCode).toBe(200)
    service.clock.advance(1)
    expect(faultsIn(await poll(service, waiting))).toEqual(OVER)
    expect(faultsIn(await poll(service, confirmed))).toEqual(OVER)
    refusalOf(await look(service, apiKey, waiting.userCode), 'not_found')
    refusalOf(await decide(service, session, waiting), 'not_found')
    await sweepSessions(service.deps)
    expect(await database().db.selectFrom('device_logins').select('expires_at').execute()).toEqual([])
  })

  // holds ACC-20
  test('with a poll within five seconds is told to slow down, and stays valid', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const session = await service.signedIn(owner)
    const login = await begin(service)
    await poll(service, login)
    await decide(service, session, login)
    service.clock.advance(POLL_MS - 2_000)
    const early = await poll(service, login)
    expect(refusalOf(early, 'rate_limit_exceeded')).toContain('slow_down')
    expect(early.headers['retry-after']).toBe('2')
    service.clock.advance(2_000)
    keyIn(await poll(service, login))
  })

  // holds ACC-20
  test('returns its key once, even with a hundred concurrent polls on two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const login = await begin(a.service)
    await decide(b.service, a.session, login)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => poll((index % 2 ? a : b).service, login)),
    )
    const told = answers.filter(({ statusCode }) => statusCode === 200)
    expect(told).toHaveLength(1)
    expect(await statusWith(a.service, told.map(keyIn)[0]?.key ?? '')).toBe(200)
    for (const answer of answers.filter((each) => !told.includes(each))) {
      expect(['rate_limit_exceeded', 'validation_error']).toContain(errorOf(answer).code)
    }
    expect(await keysOf(a.service, a.owner)).toHaveLength(2)
    a.service.clock.advance(POLL_MS)
    expect(faultsIn(await poll(b.service, login))).toEqual(OVER)
  })

  test('creates no twenty-first key of a member, and says what to do', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const { memberId } = await firstMember(service, owner)
    for (let made = 0; made < 20; made += 1) {
      const { row } = mintCredential(service.deps, owner.ownerId, { kind: 'account', name: `svc on ${made}`, memberId })
      await insertCredential(database().db, row)
    }
    const login = await begin(service)
    await decide(service, await service.signedIn(owner), login)
    expect(refusalOf(await poll(service, login), 'forbidden')).toContain('Revoke one')
  })

  // holds MEM-04
  test('is answered with a session alone: no API key makes another one', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const first = await begin(service)
    await decide(service, await service.signedIn(owner), first)
    const login = await begin(service)
    for (const key of [owner.apiKey, keyIn(await poll(service, first)).key]) {
      for (const status of ['authorized', 'denied'] as const) {
        const refused = refusalOf(await decide(service, key, { ...login, status }), 'forbidden')
        expect(refused).toContain('An API key is not enough to answer a device')
      }
    }
    expect((await poll(service, login)).json()).toEqual({ status: 'authorization_pending' })
    // As a key of the account could confirm it.
    await database()
      .db.updateTable('device_logins')
      .set({ status: 'authorized', owner_id: owner.ownerId })
      .where('status', '=', 'pending')
      .execute()
    service.clock.advance(POLL_MS)
    expect(faultsIn(await poll(service, login))).toEqual(OVER)
  })

  test('of any member is void after an owner’s reset that revokes the keys', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const member = await joinAs(service, owner, 'developer')
    const login = await begin(service)
    await decide(service, member.session, login)
    await letInvitationWait(service, owner, { role: 'owner' })
    const { link } = await makeResetLink(service.deps, await firstMember(service, owner))
    const body = { token: linkIn({ text: link }).token, password: 'another battery staple', revokeKeys: true }
    expect((await service.send('POST', '/v1/auth/password-reset/confirm', { body })).statusCode).toBe(200)
    expect(faultsIn(await poll(service, login))).toEqual(OVER)
    expect(await database().db.selectFrom('invitations').selectAll().execute()).toEqual([])
  })

  test('leaves each member tries of their own', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const member = await joinAs(service, owner, 'viewer')
    for (let count = 0; count < 20; count += 1) await look(service, member.session, 'BBBB-BBBB')
    refusalOf(await look(service, member.session, 'BBBB-BBBB'), 'rate_limit_exceeded')
    refusalOf(await look(service, await service.signedIn(owner), 'BBBB-BBBB'), 'not_found')
  })

  test('stores and logs neither its codes nor its key', async () => {
    const lines: string[] = []
    const service = await startForTest(database(), { log: (line) => lines.push(line) })
    const owner = await service.owner()
    const { apiKey } = owner
    const session = await service.signedIn(owner)
    const login = await begin(service)
    await look(service, apiKey, login.userCode)
    const waiting = await dumpTables(database())
    await decide(service, session, login)
    const confirmed = await dumpTables(database())
    const { key } = keyIn(await poll(service, login))
    const seen = [waiting, confirmed, await dumpTables(database()), ...lines].join('\n')
    for (const secret of [login.deviceCode, login.userCode, login.userCode.replace('-', ''), key]) {
      expect(seen).not.toContain(secret)
    }
  })

  // holds ACC-21
  test('shows the machine’s name without invisible or direction-changing characters', async () => {
    const service = await startForTest(database())
    const { apiKey } = await service.owner()
    const shown = async (machine: string) => {
      const { userCode } = await begin(service, { machine })
      return (await look(service, apiKey, userCode)).json().machine
    }
    expect(await shown('ada\u0007\u202elaptop\n\u200b\t2')).toBe('ada laptop 2')
    expect(await shown('\u200b\u202e\u3164\u2800')).toBe('unnamed machine')
    expect(await shown('Рабочий стол')).toBe('Рабочий стол')
    for (const machine of ['', ' ', 'a'.repeat(65)]) {
      expect(faultsIn(await ask(service, { machine }))).toEqual({ machine: ['must have 1 to 64 characters.'] })
    }
  })

  test('cannot be begun or confirmed by a page of another origin', async () => {
    const service = await startForTest(database())
    const session = await service.signedIn(await service.owner())
    const headers = { origin: 'https://elsewhere.example.com' }
    const begun = await service.send('POST', '/v1/auth/device', { headers, body: { machine: 'ada-laptop' } })
    refusalOf(begun, 'forbidden')
    const login = await begin(service)
    const url = `/v1/account/devices/${login.userCode}`
    const body = { status: 'authorized' }
    const cookie = `__Host-svc_session=${session}`
    refusalOf(await service.send('POST', url, { headers: { ...headers, cookie }, body }), 'forbidden')
    expect((await poll(service, login)).json()).toEqual({ status: 'authorization_pending' })
    const ours = { origin: 'https://svc.test', cookie }
    expect((await service.send('POST', url, { headers: ours, body })).statusCode).toBe(200)
  })
})

describeEngines('device codes', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-23
  test('are given to one network twenty at once, then one every 45 seconds; other networks are not affected', async () => {
    const service = await startForTest(database())
    const ip = '198.51.100.7'
    for (let given = 0; given < 20; given += 1) await begin(service, { ip })
    const refused = await ask(service, { ip })
    refusalOf(refused, 'rate_limit_exceeded')
    expect(refused.headers['retry-after']).toBe('45')
    await begin(service, { ip: '198.51.100.8' })
    service.clock.advance(45_000)
    await begin(service, { ip })
  })

  test('that are pending are bounded for the whole service', async () => {
    const service = await startForTest(database())
    const { db } = database()
    await begin(service, { ip: '198.51.100.20' })
    // As if five thousand had been given out at this moment.
    await db
      .updateTable('throttles')
      .set({ full_at: service.clock.now() + EXPIRES_MS })
      .execute()
    refusalOf(await ask(service, { ip: '198.51.100.21' }), 'rate_limit_exceeded')
    service.clock.advance(120)
    await begin(service, { ip: '198.51.100.21' })
  })

  // holds ACC-23
  test('cannot be guessed: a member has twenty tries, right or wrong, then one every 45 seconds', async () => {
    const service = await startForTest(database())
    const [owner, other] = [await service.owner(), await service.owner()]
    const session = await service.signedIn(owner)
    const { userCode } = await begin(service)
    const tries = await Promise.all(Array.from({ length: 30 }, () => look(service, session, 'BBBB-BBBB')))
    expect(tries.filter(({ statusCode }) => statusCode === 404)).toHaveLength(20)
    expect(tries.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
    refusalOf(await decide(service, session, { userCode }), 'rate_limit_exceeded')
    expect((await look(service, other.apiKey, userCode)).statusCode).toBe(200)
    service.clock.advance(45_000)
    expect((await decide(service, session, { userCode })).statusCode).toBe(200)
  })

  test('cannot be guessed by many accounts of one network, which has fifty tries', async () => {
    const service = await startForTest(database())
    const owners = await Promise.all(Array.from({ length: 6 }, () => service.owner()))
    const tried: LightMyRequestResponse[] = []
    for (const { apiKey } of owners) {
      for (let count = 0; count < 10; count += 1) tried.push(await look(service, apiKey, 'BBBB-BBBB'))
    }
    expect(tried.map(({ statusCode }) => statusCode)).toEqual([...Array(50).fill(404), ...Array(10).fill(429)])
  })
})
