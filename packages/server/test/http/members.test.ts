import type { Role } from '@svc/contract'
import { expect, test } from 'vitest'
import { insertMember } from '../../src/accounts/member-store.ts'
import { runAccountCommand } from '../../src/admin/account-commands.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { firstMember, type JoinedMember, joinAs } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { setScene } from '../support/scene.ts'
import { PASSWORD, type TestService } from '../support/service.ts'
import { askToSignIn, begunSession, cookieSet, statusWith } from '../support/sign-in.ts'
import { giveSecondFactor } from '../support/two-factor.ts'

const LAST = 'This is the last owner of the account. Make somebody else owner first.'

describeEngines('members', (engine) => {
  const database = useDatabase(engine)

  // holds MEM-05
  test('are listed with their roles, to every member, the first first', async () => {
    const { service, owner } = await setScene(database())
    const viewer = await joinAs(service, owner, 'viewer')
    const { members } = (await service.send('GET', '/v1/account/members', { key: viewer.session })).json()
    expect(members).toMatchObject([
      { email: owner.email, role: 'owner', isSelf: false },
      { memberId: viewer.memberId, email: viewer.email, role: 'viewer', isSelf: true },
    ])
    const account = (await service.send('GET', '/v1/account', { key: viewer.session })).json()
    expect(account).toMatchObject({
      ...{ ownerId: owner.ownerId, email: owner.email, role: 'viewer' },
      member: { memberId: viewer.memberId, email: viewer.email },
    })
  })

  // holds MEM-06
  test('have another role at once, in sessions that began before, on every replica', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const member = await joinAs(a.service, a.owner, 'viewer')
    const create = (name: string) => b.service.send('POST', '/v1/projects', { key: member.session, body: { name } })
    expect((await create('One')).statusCode).toBe(403)
    const changed = await give(a.service, a.owner.apiKey, member, 'developer')
    expect(changed.json()).toMatchObject({ memberId: member.memberId, role: 'developer' })
    expect((await create('One')).statusCode).toBe(201)
    await give(a.service, a.owner.apiKey, member, 'viewer')
    expect((await create('Two')).statusCode).toBe(403)
  })

  // holds MEM-07
  test('cannot give themselves a role', async () => {
    const { service, owner } = await setScene(database())
    for (const role of ['viewer', 'developer'] as const) {
      const member = await joinAs(service, owner, role)
      refusalOf(await give(service, member.session, member, 'owner'), 'forbidden')
      const key = { name: 'Mine', role: 'owner' }
      refusalOf(await service.send('POST', '/v1/account/keys', { key: member.session, body: key }), 'forbidden')
    }
  })

  // holds MEM-08
  test('who are removed are out at once, on every replica, with all that was theirs', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const member = await joinAs(a.service, a.owner, 'developer')
    await giveSecondFactor({ service: a.service, owner: member }, { isOn: true })
    const key = await logIn(a.service, member)
    expect([await statusWith(b.service, member.session), await statusWith(b.service, key)]).toEqual([200, 200])
    expect((await remove(a.service, a.owner.apiKey, member)).json()).toEqual({ memberId: member.memberId })
    expect([await statusWith(b.service, member.session), await statusWith(b.service, key)]).toEqual([401, 401])
    expect((await askToSignIn(b.service, { email: member.email })).statusCode).toBe(401)
    refusalOf(await remove(a.service, a.owner.apiKey, member), 'not_found')
    for (const table of ['auth_sessions', 'second_factors', 'recovery_codes', 'known_networks'] as const) {
      const left = a.database.db.selectFrom(table).selectAll().where('member_id', '=', member.memberId)
      expect([table, await left.execute()]).toEqual([table, []])
    }
    const cookie = `__Host-svc_session=${member.session}`
    const asked = { method: 'GET' as const, url: '/v1/account', headers: { cookie } }
    expect((await b.service.inject(asked)).statusCode).toBe(401)
  })

  // holds MEM-09
  test('leave of their own accord, with a session alone', async () => {
    const { service, owner } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    refusalOf(await service.send('POST', '/v1/account/leave', { key: owner.apiKey }), 'forbidden')
    const headers = { cookie: `__Host-svc_session=${member.session}`, origin: 'https://svc.test' }
    const left = await service.inject({ method: 'POST', url: '/v1/account/leave', headers })
    expect(left.json()).toEqual({ memberId: member.memberId })
    expect(cookieSet(left)).toMatchObject({ value: '' })
    expect(await statusWith(service, member.session)).toBe(401)
  })

  // holds MEM-10
  test('always have an owner among them, also when two go at once', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const first = await firstMember(a.service, a.owner)
    expect(refusalOf(await remove(a.service, a.owner.apiKey, first), 'forbidden')).toBe(LAST)
    expect(refusalOf(await give(a.service, a.owner.apiKey, first, 'viewer'), 'forbidden')).toBe(LAST)
    const second = await joinAs(a.service, a.owner, 'owner')
    const answers = await Promise.all([
      give(a.service, a.session, second, 'developer'),
      give(b.service, second.session, first, 'developer'),
    ])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 403])
    const left = a.database.db.selectFrom('members').select('email').where('role', '=', 'owner')
    expect(await left.where('owner_id', '=', a.owner.ownerId).execute()).toHaveLength(1)
  })

  // holds MEM-11
  test('hand the address of the account on when its owner goes, and that address may sign up again', async () => {
    const { service, owner } = await setScene(database())
    const heir = await joinAs(service, owner, 'owner')
    await remove(service, heir.session, await firstMember(service, owner))
    const account = (await service.send('GET', '/v1/account', { key: heir.session })).json()
    expect(account).toMatchObject({ ownerId: owner.ownerId, email: heir.email })
    const body = { email: owner.email, password: PASSWORD }
    begunSession(await service.send('POST', '/v1/auth/sign-up', { body }))
  })

  // holds MEM-12
  test('have passwords, sessions and a second factor of their own', async () => {
    const { service, owner, session } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    const change = { currentPassword: PASSWORD, newPassword: 'another battery staple' }
    const body = change
    const changed = begunSession(await service.send('POST', '/v1/account/password', { key: member.session, body }))
    expect([await statusWith(service, member.session), await statusWith(service, session)]).toEqual([401, 200])
    const listed = (await service.send('GET', '/v1/auth/sessions', { key: changed.token })).json()
    expect(listed.sessions).toMatchObject([{ isCurrent: true }])
    const { sessions } = (await service.send('GET', '/v1/auth/sessions', { key: session })).json()
    const url = `/v1/auth/sessions/${sessions[0].sessionId}`
    refusalOf(await service.send('DELETE', url, { key: changed.token }), 'not_found')
    await giveSecondFactor({ service, owner: member }, { isOn: true })
    const signIn = { email: member.email, password: change.newPassword }
    expect(faultsIn(await askToSignIn(service, signIn))).toHaveProperty('code')
    begunSession(await askToSignIn(service, { email: owner.email }))
  })

  // holds MEM-13
  test('get a key of their own role from a device login, which follows their role', async () => {
    const { service, owner } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    const key = await logIn(service, member)
    const create = (name: string) => service.send('POST', '/v1/projects', { key, body: { name } })
    expect((await create('One')).statusCode).toBe(403)
    await give(service, owner.apiKey, member, 'developer')
    expect((await create('One')).statusCode).toBe(201)
    const { keys } = (await service.send('GET', '/v1/account/keys', { key: member.session })).json()
    expect(keys).toMatchObject([{ role: 'developer', member: member.email }])
    const other = await joinAs(service, owner, 'developer')
    const revoke = (by: string) => service.send('POST', `/v1/account/keys/${keys[0].keyId}/revoke`, { key: by })
    refusalOf(await revoke(other.session), 'not_found')
    expect((await revoke(member.session)).statusCode).toBe(200)
    expect(await statusWith(service, key)).toBe(401)
  })

  // holds MEM-14
  test('are given a role by the operator', async () => {
    const { service, owner } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    const readPassword = () => Promise.reject(new Error('no password is asked for'))
    const deps = { ...service.deps, readPassword }
    const role = { name: 'set-role' as const, email: member.email, role: 'owner' as const }
    expect(await runAccountCommand(deps, role)).toEqual({ ownerId: owner.ownerId, email: member.email, role: 'owner' })
    const listed = await runAccountCommand(deps, { name: 'list-members', email: member.email })
    expect(listed).toMatchObject({ members: [{ email: owner.email }, { email: member.email, role: 'owner' }] })
    const create = runAccountCommand(deps, {
      name: 'create-owner',
      email: (await joinAs(service, owner, 'viewer')).email,
    })
    await expect(create).rejects.toThrow('belongs to a viewer of the account')
  })

  // holds MEM-15
  test('go with the account, and their addresses may sign up again', async () => {
    const { service, owner, session } = await setScene(database())
    const member = await joinAs(service, owner, 'developer')
    const confirmed = { confirm: owner.email, password: PASSWORD }
    refusalOf(await service.send('DELETE', '/v1/account', { key: member.session, body: confirmed }), 'forbidden')
    expect((await service.send('DELETE', '/v1/account', { key: session, body: confirmed })).statusCode).toBe(200)
    expect(await statusWith(service, member.session)).toBe(401)
    const body = { email: member.email, password: PASSWORD }
    begunSession(await service.send('POST', '/v1/auth/sign-up', { body }))
  })

  // holds MEM-16
  test('are fifty at most', async () => {
    const { service, owner } = await setScene(database())
    await inTransaction(database().db, async (tx) => {
      for (let count = 1; count < 50; count += 1) {
        const memberId = service.deps.newId('member')
        const email = `${memberId.toLowerCase()}@example.com`
        await insertMember(tx, { memberId, ownerId: owner.ownerId, email, role: 'viewer', joinedAt: 0 })
      }
    })
    const body = { email: 'one-more@example.com', role: 'viewer' }
    const answer = await service.send('POST', '/v1/account/invitations', { key: owner.apiKey, body })
    expect(refusalOf(answer, 'forbidden')).toContain('50 members')
  })
})

function give(service: TestService, key: string, { memberId }: { memberId: string }, role: Role) {
  return service.send('PATCH', `/v1/account/members/${memberId}`, { key, body: { role } })
}

function remove(service: TestService, key: string, { memberId }: { memberId: string }) {
  return service.send('DELETE', `/v1/account/members/${memberId}`, { key })
}

/** `svc login`, confirmed by this member; returns the key. */
async function logIn(service: TestService, { session }: JoinedMember): Promise<string> {
  const { deviceCode, userCode } = (
    await service.send('POST', '/v1/auth/device', { body: { machine: 'laptop' } })
  ).json()
  const url = `/v1/account/devices/${userCode}`
  await service.send('POST', url, { key: session, body: { status: 'authorized' } })
  return (await service.send('POST', '/v1/auth/device/token', { body: { deviceCode } })).json().key
}
