import { SessionList } from '@svc/contract'
import { expect, test } from 'vitest'
import { selfOf } from '../../src/accounts/accounts.ts'
import { refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { joinAs } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { type Scene, setScene } from '../support/scene.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD } from '../support/service.ts'
import { begunSession, cookieSet, statusWith } from '../support/sign-in.ts'

const CHROME = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
const MINUTE_MS = 60_000

async function signInWith({ service, owner }: Pick<Scene, 'service' | 'owner'>, userAgent: string): Promise<string> {
  const payload = { email: owner.email, password: PASSWORD }
  const headers = { 'user-agent': userAgent }
  return begunSession(await service.inject({ method: 'POST', url: '/v1/auth/sign-in', payload, headers })).token
}

async function listed(service: TestService, key: string): Promise<SessionList['sessions']> {
  const answer = await service.send('GET', '/v1/auth/sessions', { key })
  expect(answer.statusCode).toBe(200)
  return SessionList.parse(answer.json()).sessions
}

describeEngines('the list of sessions', (engine) => {
  const database = useDatabase(engine)

  // holds SES-01
  test('shows each by device, with its times, marks the one of the request, and holds no token', async () => {
    const scene = await setScene(database())
    const { service, session } = scene
    const begunAt = service.clock.now()
    service.clock.advance(MINUTE_MS)
    const token = await signInWith(scene, CHROME)
    const [newest, oldest, ...others] = await listed(service, token)
    expect(others).toEqual([])
    const signedInAt = new Date(service.clock.now()).toISOString()
    expect(newest).toMatchObject({
      device: 'Chrome on macOS',
      isCurrent: true,
      createdAt: signedInAt,
      lastUsedAt: signedInAt,
    })
    expect(oldest).toMatchObject({ device: null, isCurrent: false, createdAt: new Date(begunAt).toISOString() })
    const byKey = await listed(service, scene.owner.apiKey)
    expect(byKey.map(({ isCurrent }) => isCurrent)).toEqual([false, false])
    const text = JSON.stringify(byKey)
    for (const secret of [token, session]) {
      for (const part of secret.split('_')) if (part.length > 4) expect(text).not.toContain(part)
    }
    expect(text).not.toContain('10_15_7')
  })

  // holds SES-04
  test('knows when a session was last used, to the minute and without a write for each request', async () => {
    const { service, session, owner } = await setScene(database())
    const { clock } = service
    const lastUsed = async () => (await listed(service, owner.apiKey))[0]?.lastUsedAt
    const begunAt = new Date(clock.now()).toISOString()
    clock.advance(MINUTE_MS - 1)
    await statusWith(service, session)
    expect(await lastUsed()).toBe(begunAt)
    clock.advance(1)
    await statusWith(service, session)
    expect(await lastUsed()).toBe(new Date(clock.now()).toISOString())
  })

  // holds SES-02
  test('one is revoked at once on every replica; the others stay', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const token = await signInWith(a, CHROME)
    const other = (await listed(a.service, token)).find(({ isCurrent }) => !isCurrent)
    expect(await statusWith(b.service, a.session)).toBe(200)
    const answer = await a.service.send('DELETE', `/v1/auth/sessions/${other?.sessionId}`, { key: token })
    expect([answer.statusCode, answer.json()]).toEqual([200, { sessionId: other?.sessionId }])
    expect([await statusWith(b.service, a.session), await statusWith(b.service, token)]).toEqual([401, 200])
    refusalOf(await a.service.send('DELETE', `/v1/auth/sessions/${other?.sessionId}`, { key: token }), 'not_found')
  })

  test('revoking the one of the request signs its browser out', async () => {
    const { service, session } = await setScene(database())
    const [current] = await listed(service, session)
    const headers = { cookie: `__Host-svc_session=${session}`, origin: 'https://svc.test' }
    const answer = await service.send('DELETE', `/v1/auth/sessions/${current?.sessionId}`, { headers })
    expect(cookieSet(answer)).toMatchObject({ value: '' })
    expect(await statusWith(service, session)).toBe(401)
  })

  // holds SES-03
  test('all others are revoked, and nobody else’s', async () => {
    const scene = await setScene(database())
    const { service, session } = scene
    const stranger = await service.owner()
    const strangers = await service.signedIn(stranger)
    const tokens = [await signInWith(scene, 'curl/8'), await signInWith(scene, '')]
    const revoke = (key: string) => service.send('DELETE', '/v1/auth/sessions', { key })
    expect((await revoke(session)).json()).toEqual({ revoked: 2 })
    const states = [session, ...tokens, strangers].map((token) => statusWith(service, token))
    expect(await Promise.all(states)).toEqual([200, 401, 401, 200])
    refusalOf(await revoke(scene.owner.apiKey), 'forbidden')
    expect(await statusWith(service, session)).toBe(200)
  })

  test('of an owner’s API key is that of the member whose address the account has; of any other key there is none', async () => {
    const { service, owner, session } = await setScene(database())
    expect(await listed(service, owner.apiKey)).toHaveLength(1)
    const body = { name: 'Reads', role: 'developer' }
    const { key } = (await service.send('POST', '/v1/account/keys', { key: owner.apiKey, body })).json()
    refusalOf(await service.send('GET', '/v1/auth/sessions', { key }), 'forbidden')
    const heir = await joinAs(service, owner, 'owner')
    await service.send('POST', '/v1/account/leave', { key: session, body: { password: PASSWORD } })
    expect(await listed(service, owner.apiKey)).toHaveLength(1)
    // The address of a key that was judged before may be somebody else’s by now.
    const stranger = await service.owner()
    const asked = { owner: { ...owner, email: stranger.email }, member: null, role: 'owner' as const, keyId: 'key_1' }
    await expect(selfOf(service.deps, asked)).rejects.toThrow('An API key is not enough')
    expect(await selfOf(service.deps, { ...asked, owner: { ...owner, email: heir.email } })).toMatchObject({
      memberId: heir.memberId,
    })
  })
})
